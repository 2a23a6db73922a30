package s3

import "context"

// maxDeletes is how many keys one DeleteObjects takes (API reference).
const maxDeletes = 1000

type deleteObjects struct {
	bucket  string
	objects []deletion
	quiet   bool // the answer has failures only
	body    []byte
	claims  claims // of the body, over HTTP
}

type deletion struct{ key, ifMatch string }

func (r *deleteObjects) do(_ context.Context, s *Service, _ *bill) (answer, *serviceError) {
	from, err := s.bucket(r.bucket)
	if err != nil {
		return nil, err
	}
	if len(r.objects) == 0 || len(r.objects) > maxDeletes {
		return nil, fail(malformedXML, "The XML you provided was not well-formed or did not validate against our published schema: %d objects to delete, expected 1 to %d",
			len(r.objects), maxDeletes)
	}
	if r.body != nil {
		if _, err := r.claims.verify(r.body); err != nil {
			return nil, err
		}
	}
	done := &deletions{}
	for _, o := range r.objects {
		switch err := from.remove(o.key, o.ifMatch); {
		case err != nil:
			done.failed = append(done.failed, failedDeletion{o.key, err})
		case !r.quiet:
			done.deleted = append(done.deleted, o.key)
		}
	}
	return done, nil
}

// deletions is the answer: what became of each key.
type deletions struct {
	deleted []string
	failed  []failedDeletion
}

type failedDeletion struct {
	key string
	err *serviceError
}
