package dynamo_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/lakebench/lakebench/internal/sim/task"
)

// Writers move amounts between accounts, each by a transaction that checks what
// it read; a reader looks at all accounts at one moment. Money is neither made
// nor lost, and nobody ever sees a part of a transfer.
func TestTransfersAreSerializable(t *testing.T) {
	const (
		seed      = 1
		accounts  = 6
		writers   = 4
		transfers = 100
	)
	w := newWorld(t, nil)
	for i := range accounts {
		if err := w.put(balance(i, 100)); err != nil {
			t.Fatal(err)
		}
	}
	group := task.NewGroup(t.Context(), 0)
	for writer := range writers {
		group.Go(fmt.Sprint("writer-", writer), func(ctx context.Context) error {
			random := rand.New(rand.NewPCG(seed, uint64(writer)))
			for range transfers {
				from := random.IntN(accounts)
				to := (from + 1 + random.IntN(accounts-1)) % accounts
				if err := w.transfer(ctx, from, to, 1+random.IntN(9)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	group.Go("reader", func(ctx context.Context) error {
		for range transfers {
			if sum, err := w.sum(ctx, accounts); err != nil || sum >= 0 && sum != 100*accounts {
				return fmt.Errorf("the reader saw %d in all (error %w), want %d", sum, err, 100*accounts)
			}
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if sum, err := w.sum(t.Context(), accounts); err != nil || sum != 100*accounts {
		t.Errorf("seed %d: %d in all (error %v), want %d", seed, sum, err, 100*accounts)
	}
}

func balance(account, amount int) item {
	return item{"k": s(fmt.Sprint("account-", account)), "v": n(strconv.Itoa(amount))}
}

func amount(it item) int {
	v, _ := it["v"].(*types.AttributeValueMemberN)
	if v == nil {
		return 0
	}
	i, _ := strconv.Atoi(v.Value)
	return i
}

// transfer tries until the transaction commits. Each time that one is refused
// another one is under way, so it gets its turn sooner or later.
func (w *world) transfer(ctx context.Context, from, to, by int) error {
	for range 10_000 {
		var puts []types.TransactWriteItem
		for account, change := range map[int]int{from: -by, to: by} {
			old, err := w.GetItem(ctx, &dynamodb.GetItemInput{
				TableName: aws.String("hash"), Key: key(fmt.Sprint("account-", account)), ConsistentRead: aws.Bool(true),
			})
			if err != nil {
				return err
			}
			puts = append(puts, types.TransactWriteItem{Put: &types.Put{
				TableName: aws.String("hash"), Item: balance(account, amount(old.Item)+change),
				ConditionExpression: aws.String("v = :old"), ExpressionAttributeValues: item{":old": old.Item["v"]},
			}})
		}
		_, err := w.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: puts})
		var canceled *types.TransactionCanceledException
		if !errors.As(err, &canceled) {
			return err
		}
		task.Yield(ctx)
	}
	return errors.New("a transfer never came through: something is held for ever")
}

// sum reads all accounts in one transaction; -1 if it met a write.
func (w *world) sum(ctx context.Context, accounts int) (int, error) {
	var keys []string
	for i := range accounts {
		keys = append(keys, fmt.Sprint("account-", i))
	}
	out, err := w.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: txGets(keys...)})
	var canceled *types.TransactionCanceledException
	if errors.As(err, &canceled) {
		return -1, nil
	}
	if err != nil {
		return 0, err
	}
	sum := 0
	for _, r := range out.Responses {
		sum += amount(r.Item)
	}
	return sum, nil
}
