package dynamo

import (
	"slices"
	"strconv"

	"github.com/lakebench/lakebench/internal/attr"
)

// An answer is the typed form of an operation's JSON answer. bill is what the
// request was charged.
type answer interface {
	appendJSON(o *jsonObject, b *bill)
}

// jsonObject writes the members of one JSON object.
type jsonObject struct {
	dst   []byte
	empty bool
}

// encode writes out as JSON over buf.
func encode(buf []byte, out answer, b *bill) []byte {
	// Items are most of an answer; in JSON they are about a third longer (base64)
	// and have names, quotes and type tags around.
	room := 256 + b.BytesReceived + b.BytesReceived/2 + 24*b.Returned
	o := &jsonObject{dst: slices.Grow(buf[:0], int(room))}
	o.begin()
	out.appendJSON(o, b)
	o.end()
	return o.dst
}

func (o *jsonObject) begin() {
	o.dst = append(o.dst, '{')
	o.empty = true
}

func (o *jsonObject) end() {
	o.dst = append(o.dst, '}')
	o.empty = false
}

// name begins a member; its value must follow. Names need no escapes.
func (o *jsonObject) name(name string) {
	if !o.empty {
		o.dst = append(o.dst, ',')
	}
	o.empty = false
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

// key begins a member whose name comes from a request.
func (o *jsonObject) key(name string) {
	if !o.empty {
		o.dst = append(o.dst, ',')
	}
	o.empty = false
	o.dst = attr.AppendQuoted(o.dst, name)
	o.dst = append(o.dst, ':')
}

func (o *jsonObject) string(name, value string) {
	o.name(name)
	o.dst = attr.AppendQuoted(o.dst, value)
}

func (o *jsonObject) int(name string, value int64) {
	o.name(name)
	o.dst = strconv.AppendInt(o.dst, value, 10)
}

// float writes a number with a fraction, as the service writes units.
func (o *jsonObject) float(name string, value float64) {
	o.name(name)
	o.dst = strconv.AppendFloat(o.dst, value, 'f', -1, 64)
	if value == float64(int64(value)) {
		o.dst = append(o.dst, ".0"...)
	}
}

func (o *jsonObject) bool(name string, value bool) {
	o.name(name)
	o.dst = strconv.AppendBool(o.dst, value)
}

// object writes a member that is an object.
func (o *jsonObject) object(name string, members func()) {
	o.name(name)
	o.begin()
	members()
	o.end()
}

// array writes a member that is an array of n elements.
func (o *jsonObject) array(name string, n int, element func(i int)) {
	o.name(name)
	o.elements(n, element)
}

func (o *jsonObject) elements(n int, element func(i int)) {
	o.dst = append(o.dst, '[')
	for i := range n {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		element(i)
	}
	o.dst = append(o.dst, ']')
	o.empty = false
}

// objects writes a member that is an array of n objects.
func (o *jsonObject) objects(name string, n int, members func(i int)) {
	o.array(name, n, func(i int) {
		o.begin()
		members(i)
		o.end()
	})
}

func (o *jsonObject) item(name string, item *itemView) {
	o.name(name)
	o.dst = item.appendJSON(o.dst)
}

func (o *jsonObject) attributes(name string, item attr.Item) {
	o.name(name)
	o.dst = item.AppendJSON(o.dst)
}

// consumed writes a table's ConsumedCapacity. Transactions say, besides the
// total, whether the units are of reading or of writing.
func (o *jsonObject) consumed(u *TableUsage, mode capacityMode, transactional bool) {
	o.string("TableName", u.Table)
	o.units(u, transactional)
	if mode == capacityIndexes {
		o.object("Table", func() { o.units(u, transactional) })
	}
}

func (o *jsonObject) units(u *TableUsage, transactional bool) {
	o.float("CapacityUnits", u.RRU+u.WRU)
	if transactional && u.RRU > 0 {
		o.float("ReadCapacityUnits", u.RRU)
	}
	if transactional && u.WRU > 0 {
		o.float("WriteCapacityUnits", u.WRU)
	}
}

// capacity writes the ConsumedCapacity of an operation on one table.
func (o *jsonObject) capacity(b *bill, mode capacityMode) {
	if mode != capacityNone && len(b.Tables) > 0 {
		o.object("ConsumedCapacity", func() { o.consumed(&b.Tables[0], mode, false) })
	}
}

// capacities writes the ConsumedCapacity of an operation on several tables.
func (o *jsonObject) capacities(b *bill, mode capacityMode, transactional bool) {
	if mode != capacityNone {
		o.objects("ConsumedCapacity", len(b.Tables), func(i int) { o.consumed(&b.Tables[i], mode, transactional) })
	}
}

func (out *getItemOutput) appendJSON(o *jsonObject, b *bill) {
	o.capacity(b, out.capacity)
	if out.found {
		o.item("Item", &out.item)
	}
}

func (out *writeItemOutput) appendJSON(o *jsonObject, b *bill) {
	if out.attributes != nil {
		o.item("Attributes", out.attributes)
	}
	o.capacity(b, out.capacity)
}

// encodeError writes the service's answer to a request that failed over buf.
func encodeError(buf []byte, e *serviceError) []byte {
	o := &jsonObject{dst: buf[:0]}
	o.begin()
	o.string("__type", e.wireType())
	o.string(e.messageMember(), e.message)
	if e.item != nil {
		o.item("Item", e.item)
	}
	if e.code == transactionCanceled {
		o.objects("CancellationReasons", len(e.reasons), func(i int) { o.reason(&e.reasons[i]) })
	}
	o.end()
	return o.dst
}

// messageMember is the name that the SDK's schema has for an error's message.
func (e *serviceError) messageMember() string {
	switch e.code {
	case transactionCanceled, idempotentParameterMismatch, transactionInProgress:
		return "Message"
	default:
		return "message"
	}
}

func (o *jsonObject) reason(r *reason) {
	o.string("Code", r.code.String())
	if r.message != "" {
		o.string("Message", r.message)
	}
	if r.item != nil {
		o.item("Item", r.item)
	}
}
