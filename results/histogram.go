package results

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// EncodeHistogram keeps h, in nanoseconds, for a document. Clamped is the number
// of samples that h could hold only at the edge of its range.
func EncodeHistogram(h *hdrhistogram.Histogram, clamped int64) (Histogram, error) {
	b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase)
	if err != nil {
		return Histogram{}, fmt.Errorf("encode histogram: %w", err)
	}
	return Histogram{HDR: string(b), Clamped: clamped}, nil
}

// Decode returns the recorded histogram, in nanoseconds.
func (h Histogram) Decode() (*hdrhistogram.Histogram, error) {
	d, err := hdrhistogram.Decode([]byte(h.HDR))
	if err != nil {
		return nil, fmt.Errorf("decode histogram: %w", err)
	}
	return d, nil
}
