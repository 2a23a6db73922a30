package backend

import (
	"context"
	"fmt"
	"slices"
	"strings"

	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/smithy-go/middleware"

	"github.com/lakebench/lakebench/internal/concern"
)

// A ForeignTableError is a request to an endpoint that would change a table which
// this run did not make. It was not sent.
type ForeignTableError struct {
	API   string
	Table string // empty if the request does not say
}

func (e *ForeignTableError) Error() string {
	return fmt.Sprintf("%s was not sent: this run did not make table %q, and so may only read it", e.API, e.Table)
}

// guard adds the check to a client: it refuses every request that may change
// something, unless it is known to change only tables that Table made, or that the
// configuration names.
func (b *Backend) guard(s *middleware.Stack) error {
	return s.Initialize.Add(middleware.InitializeMiddlewareFunc("lakebench:GuardForeignTables", b.guardTables), middleware.After)
}

func (b *Backend) guardTables(ctx context.Context, in middleware.InitializeInput, next middleware.InitializeHandler) (
	middleware.InitializeOutput, middleware.Metadata, error,
) {
	api := awsmiddleware.GetOperationName(ctx)
	if !reads(api) {
		changes := tablesChanged(in.Parameters)
		if len(changes) == 0 {
			return middleware.InitializeOutput{}, middleware.Metadata{}, &ForeignTableError{API: api}
		}
		for _, table := range changes {
			if !b.tables.ours(table) && !slices.Contains(b.cfg.MayChange, table) {
				return middleware.InitializeOutput{}, middleware.Metadata{}, &ForeignTableError{API: api, Table: table}
			}
		}
	}
	return next.HandleInitialize(ctx, in)
}

// reads reports whether an operation changes nothing, by the names that DynamoDB
// gives its operations.
func reads(api string) bool {
	switch api {
	case "Query", "Scan", "BatchGetItem", "TransactGetItems":
		return true
	}
	return strings.HasPrefix(api, "Get") || strings.HasPrefix(api, "Describe") || strings.HasPrefix(api, "List")
}

// tablesChanged returns the tables that a request changes; none if it is not one
// that lakebench makes. Tables that a transaction merely checks count as well: it
// takes hold of the items that it checks.
func tablesChanged(input any) (tables []string) {
	for _, item := range concern.Items(input) {
		tables = append(tables, item.Table)
	}
	return tables
}
