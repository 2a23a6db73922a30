package main

import (
	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/results"
	"github.com/lakebench/lakebench/results/gate"
)

func newSchema() *cobra.Command {
	cmd := printsSchema("schema", "Print the JSON Schema of the result file", results.Schema)
	cmd.AddCommand(printsSchema("gate", "Print the JSON Schema of a gate's policy", gate.Schema))
	return cmd
}

func printsSchema(use, short string, schema func() []byte) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(schema())
			return err
		},
	}
}
