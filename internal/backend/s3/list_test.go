package s3_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"pgregory.net/rapid"
)

// A listing of small keys over few letters, page by page, is what a plain
// implementation of the API reference gives: common prefixes are cut out of the
// sorted keys behind StartAfter, and pages end when they are full.
func TestListsAreThoseOfAModel(t *testing.T) {
	texts := rapid.StringMatching(`[ab/ü]{0,5}`)
	rapid.Check(t, func(t *rapid.T) {
		a := newAccount(t, nil)
		keys := map[string]bool{}
		for _, key := range rapid.SliceOfN(rapid.StringMatching(`[ab/ü]{1,5}`), 0, 30).Draw(t, "keys") {
			keys[key] = true
			if err := a.put(t.Context(), key, key); err != nil {
				t.Fatal(err)
			}
		}
		prefix, delimiter, after := texts.Draw(t, "prefix"), rapid.SampledFrom([]string{"", "/", "a", "b/", "ü"}).Draw(t, "delimiter"), texts.Draw(t, "start-after")
		most := rapid.IntRange(1, 5).Draw(t, "max-keys")
		want := model(slices.Sorted(maps.Keys(keys)), prefix, delimiter, after, most)
		got := a.pages(t, &awss3.ListObjectsV2Input{
			Bucket: aws.String(lake), Prefix: &prefix, Delimiter: &delimiter, StartAfter: &after, MaxKeys: aws.Int32(int32(most)),
		})
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("prefix %q, delimiter %q, after %q, %d a page\ngot  %q\nwant %q", prefix, delimiter, after, most, got, want)
		}
	})
}

// A page that ends with a common prefix is followed by what is behind all keys below
// it.
func TestAPageBehindACommonPrefix(t *testing.T) {
	a := newAccount(t, nil)
	for _, key := range []string{"a/1", "a/2", "b"} {
		if err := a.put(t.Context(), key, key); err != nil {
			t.Fatal(err)
		}
	}
	got := a.pages(t, &awss3.ListObjectsV2Input{Bucket: aws.String(lake), Delimiter: aws.String("/"), MaxKeys: aws.Int32(1)})
	if want := "[[|a/] [b]]"; fmt.Sprint(got) != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// model returns the pages of a list: keys, and common prefixes with a bar.
func model(keys []string, prefix, delimiter, after string, most int) (pages [][]string) {
	var all []string
	for _, key := range keys {
		if !strings.HasPrefix(key, prefix) || key <= after {
			continue
		}
		entry := key
		if i := strings.Index(key[len(prefix):], delimiter); delimiter != "" && i >= 0 {
			entry = "|" + key[:len(prefix)+i+len(delimiter)]
		}
		if !slices.Contains(all, entry) {
			all = append(all, entry)
		}
	}
	pages = slices.Collect(slices.Chunk(all, most))
	for _, page := range pages {
		slices.Sort(page)
	}
	return pages
}

// pages lists all pages, each sorted as the model's.
func (a account) pages(t fataler, in *awss3.ListObjectsV2Input) (pages [][]string) {
	for range 100 { // of at most 30 keys
		out, _, err := a.do(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		list := out.(*awss3.ListObjectsV2Output)
		var page []string
		for _, o := range list.Contents {
			page = append(page, *o.Key)
		}
		for _, c := range list.CommonPrefixes {
			page = append(page, "|"+*c.Prefix)
		}
		slices.Sort(page)
		if len(page) > 0 {
			pages = append(pages, page)
		}
		if in.ContinuationToken = list.NextContinuationToken; in.ContinuationToken == nil {
			return pages
		}
	}
	t.Fatal("the list has no end")
	return nil
}
