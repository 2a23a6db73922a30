// Package awssdk shows, in its tests, that the AWS SDK runs unmodified on tasks of
// a virtual runtime. It is apart from package task because what tests task is
// built often, and the SDK is large.
package awssdk
