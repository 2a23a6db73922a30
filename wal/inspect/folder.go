package inspect

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/lakebench/lakebench/manifest/object"
)

// A Folder is a table in a directory, read as if it were in a bucket of any name:
// the path of a file is its key.
type Folder struct{ FS fs.FS }

var _ object.ReadClient = Folder{}

// GetObject opens a file.
func (f Folder) GetObject(_ context.Context, in *s3.GetObjectInput, _ ...func(*s3.Options)) (*s3.GetObjectOutput, error) {
	file, err := f.FS.Open(*in.Key)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &types.NoSuchKey{}
	}
	if err != nil {
		return nil, err
	}
	return &s3.GetObjectOutput{Body: file}, nil
}

// HeadObject reports whether there is a file.
func (f Folder) HeadObject(_ context.Context, in *s3.HeadObjectInput, _ ...func(*s3.Options)) (*s3.HeadObjectOutput, error) {
	info, err := fs.Stat(f.FS, *in.Key)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
		return nil, &types.NotFound{}
	}
	if err != nil {
		return nil, err
	}
	return &s3.HeadObjectOutput{}, nil
}

// ListObjectsV2 lists the files below a directory, which the prefix names, in one
// page; with a delimiter, those in it, and the directories that are not empty.
func (f Folder) ListObjectsV2(_ context.Context, in *s3.ListObjectsV2Input, _ ...func(*s3.Options)) (*s3.ListObjectsV2Output, error) {
	out := &s3.ListObjectsV2Output{}
	prefixes := map[string]bool{}
	root := strings.TrimSuffix(*in.Prefix, "/")
	err := fs.WalkDir(f.FS, root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if dir, _, below := strings.Cut(strings.TrimPrefix(name, *in.Prefix), "/"); below && in.Delimiter != nil {
			prefixes[*in.Prefix+dir+"/"] = true
			return nil
		}
		out.Contents = append(out.Contents, types.Object{Key: &name})
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for prefix := range prefixes {
		out.CommonPrefixes = append(out.CommonPrefixes, types.CommonPrefix{Prefix: &prefix})
	}
	slices.SortFunc(out.CommonPrefixes, func(a, b types.CommonPrefix) int { return strings.Compare(*a.Prefix, *b.Prefix) })
	return out, nil
}
