package main

import (
	"github.com/spf13/cobra"

	"github.com/lakebench/lakebench/results"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of the result file",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(results.Schema())
			return err
		},
	}
}
