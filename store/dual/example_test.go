package dual_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"time"

	"github.com/lakebench/lakebench/internal/backend/dynamo"
	"github.com/lakebench/lakebench/internal/storetest"
	"github.com/lakebench/lakebench/store"
	"github.com/lakebench/lakebench/store/control"
	"github.com/lakebench/lakebench/store/dual"
	v1 "github.com/lakebench/lakebench/store/v1"
	v2 "github.com/lakebench/lakebench/store/v2"
)

// A program opens a node under an id of its own and sends the heartbeats itself:
// by them a node learns that the migration is final, and a finalization that the
// node is alive. On AWS, client is dynamodb.NewFromConfig(cfg), and the random
// source is seeded from crypto/rand.
func Example() {
	ctx := context.Background()
	engine, err := dynamo.New(dynamo.DefaultConfig())
	if err != nil {
		log.Fatal(err)
	}
	client := storetest.Client(engine.Client(nil))
	if err := v1.Create(ctx, client, "lake"); err != nil { // the table that is migrated
		log.Fatal(err)
	}
	layout := v2.DefaultConfig()
	layout.Table, layout.Random = v2.TableName("lake"), rand.NewPCG(1, 1)
	if err := v2.Create(ctx, client, layout); err != nil { // the migrator's verb init does this
		log.Fatal(err)
	}

	cfg := dual.DefaultConfig()
	cfg.Client, cfg.Table, cfg.Node = client, "lake", "writer-7"
	cfg.Mode, cfg.Random = control.ModeDual, rand.NewPCG(1, 2)
	node, err := dual.Open(ctx, cfg)
	if err != nil {
		log.Fatal(err)
	}

	// One heartbeat every few seconds, for as long as the node is open.
	beat := time.NewTicker(5 * time.Second)
	defer beat.Stop()
	stop := make(chan struct{})
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-beat.C:
				if err := node.Heartbeat(ctx); err != nil {
					log.Print(err) // the node refuses to serve if it must not go on
				}
			}
		}
	}()

	if err := node.CAS(ctx, "tbl/orders", store.Absent(), []byte("v1")); err != nil {
		log.Print(err)
		return
	}
	value, err := node.Get(ctx, "tbl/orders")
	fmt.Printf("%s %v, %v\n", value, err, node.Mode())

	close(stop)
	fmt.Println(node.Close(ctx))
	// Output:
	// v1 <nil>, dual
	// <nil>
}
