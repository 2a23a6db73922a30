package fault

import (
	"net/http"
	"strings"
	"testing"
)

// What an injector costs a request: without rules, with rules for other
// requests, and with one that has to read the body.
func BenchmarkClient(b *testing.B) {
	const body = `{"TableName":"lake","Key":{"pk":{"S":"tbl/orders"}},"ConsistentRead":true}`
	for name, rules := range map[string]string{
		"none":  "",
		"other": strings.Repeat("on dynamodb PutItem cause mutate nth 3 : error-after\n", 5),
		"key":   `on dynamodb GetItem key "lance-manifest/*" : throttle`,
	} {
		b.Run(name, func(b *testing.B) {
			c := New(b.Context(), mustParse(b, rules), DefaultConfig()).HTTPClient(okClient{})
			b.ReportAllocs()
			for b.Loop() {
				req, err := http.NewRequestWithContext(b.Context(), http.MethodPost, "http://dynamodb/", strings.NewReader(body))
				if err != nil {
					b.Fatal(err)
				}
				req.Header.Set(targetHeader, targetPrefix+"GetItem")
				resp, err := c.Do(req)
				if err != nil {
					b.Fatal(err)
				}
				_ = resp.Body.Close() // it is empty
			}
		})
	}
}
