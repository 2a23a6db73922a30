package s3

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"strings"
)

// algorithm is a checksum algorithm by its name in the API (User Guide, "Checking
// object integrity"). Those that are newer than the five are not supported.
type algorithm string

const (
	crc32IEEE   algorithm = "CRC32"
	crc32C      algorithm = "CRC32C"
	crc64NVME   algorithm = "CRC64NVME"
	sha1Sum     algorithm = "SHA1"
	sha256Sum   algorithm = "SHA256"
	noAlgorithm algorithm = ""
)

func algorithms() []algorithm {
	return []algorithm{crc32IEEE, crc32C, crc64NVME, sha1Sum, sha256Sum}
}

// nvme is the polynomial of CRC-64/NVME, reversed as hash/crc64 has it.
const nvme = 0x9a6c9329ac4bc9b5

// Tables are made once and never change.
var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	nvmeTable  = crc64.MakeTable(nvme)
)

// sum returns the checksum of b in base64, as headers hold it.
func (a algorithm) sum(b []byte) string {
	h := a.hash()
	_, _ = h.Write(b) // never fails
	return base64.StdEncoding.EncodeToString(h.Sum(nil))
}

func (a algorithm) hash() hash.Hash {
	switch a {
	case crc32IEEE:
		return crc32.NewIEEE()
	case crc32C:
		return crc32.New(castagnoli)
	case sha1Sum:
		return sha1.New()
	case sha256Sum:
		return sha256.New()
	case crc64NVME, noAlgorithm:
	}
	return crc64.New(nvmeTable)
}

// A checksum is what an object's bytes add up to.
type checksum struct {
	algorithm algorithm
	value     string // in base64; composite ones end with the number of parts
	composite bool   // of the parts' checksums, not of the object's bytes
}

// The types of checksums in headers and outputs.
const (
	fullObject = "FULL_OBJECT"
	composite  = "COMPOSITE"
)

func (c checksum) kind() string {
	if c.composite {
		return composite
	}
	return fullObject
}

// claims are what a request declares about its bytes; "" is nothing.
type claims struct {
	algorithm algorithm // noAlgorithm: the service chooses
	value     string    // in base64, if there is an algorithm
	md5       string    // Content-MD5, in base64
	sha256    string    // X-Amz-Content-Sha256, in hexadecimal
}

// verify compares the claims with the bytes and returns the checksum to keep. An
// object whose writer sent none gets CRC64NVME (User Guide, "Checking object
// integrity": the default since December 2024).
func (c claims) verify(body []byte) (checksum, *serviceError) {
	if c.md5 != "" {
		if raw, err := base64.StdEncoding.DecodeString(c.md5); err != nil || len(raw) != md5.Size {
			return checksum{}, fail(invalidDigest, "The Content-MD5 you specified is not valid.")
		}
		sum := md5.Sum(body)
		if base64.StdEncoding.EncodeToString(sum[:]) != c.md5 {
			return checksum{}, fail(badDigest, "The Content-MD5 you specified did not match what we received.")
		}
	}
	if c.sha256 != "" {
		if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != strings.ToLower(c.sha256) {
			return checksum{}, fail(contentSHA256Mismatch, "The provided 'x-amz-content-sha256' header does not match what was computed.")
		}
	}
	if c.algorithm == noAlgorithm {
		return checksum{algorithm: crc64NVME, value: crc64NVME.sum(body)}, nil
	}
	sum := c.algorithm.sum(body)
	if c.value != sum {
		return checksum{}, fail(badDigest, "The %s you specified did not match the calculated checksum.", c.algorithm)
	}
	return checksum{algorithm: c.algorithm, value: sum}, nil
}
