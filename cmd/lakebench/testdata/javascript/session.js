// A small session of the AWS SDK for JavaScript with `lakebench serve`, whose address
// is the first argument and whose keys are the next two. It ends with an error at the
// first answer that is not as it should be.
import assert from "node:assert/strict";
import {
  CreateTableCommand, DescribeTableCommand, DynamoDBClient, ListTablesCommand, waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import {
  BatchWriteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand, ScanCommand,
  TransactWriteCommand, UpdateCommand, paginateScan,
} from "@aws-sdk/lib-dynamodb";

const [endpoint, accessKeyId, secretAccessKey] = process.argv.slice(2);
const options = { endpoint, region: "eu-west-1", credentials: { accessKeyId, secretAccessKey } };
const client = new DynamoDBClient(options);
const documents = DynamoDBDocumentClient.from(client);
const TableName = "lake";

await client.send(new CreateTableCommand({
  TableName, BillingMode: "PAY_PER_REQUEST",
  AttributeDefinitions: [{ AttributeName: "bucket", AttributeType: "S" }, { AttributeName: "at", AttributeType: "N" }],
  KeySchema: [{ AttributeName: "bucket", KeyType: "HASH" }, { AttributeName: "at", KeyType: "RANGE" }],
}));
await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
assert.equal((await client.send(new DescribeTableCommand({ TableName }))).Table.TableStatus, "ACTIVE");
assert.deepEqual((await client.send(new ListTablesCommand({}))).TableNames, [TableName]);

const Item = { bucket: "a", at: 1, text: "é😀", payload: new Uint8Array([0, 255]), tags: new Set(["x", "y"]), nested: { series: [1.5, null, true] } };
await documents.send(new PutCommand({ TableName, Item }));
const got = await documents.send(new GetCommand({ TableName, Key: { bucket: "a", at: 1 }, ConsistentRead: true, ReturnConsumedCapacity: "TOTAL" }));
assert.deepEqual(got.Item, Item);
assert.equal(got.ConsumedCapacity.CapacityUnits, 1);

const updated = await documents.send(new UpdateCommand({
  TableName, Key: { bucket: "a", at: 1 }, ReturnValues: "UPDATED_NEW",
  UpdateExpression: "SET nested.series[0] = nested.series[0] + :one ADD tags :z REMOVE payload", ConditionExpression: "attribute_exists(#t)",
  ExpressionAttributeNames: { "#t": "text" }, ExpressionAttributeValues: { ":one": 1, ":z": new Set(["z"]) },
}));
assert.deepEqual(updated.Attributes, { nested: { series: [2.5] }, tags: new Set(["x", "y", "z"]) });

await documents.send(new BatchWriteCommand({
  RequestItems: { [TableName]: Array.from({ length: 25 }, (_, i) => ({ PutRequest: { Item: { bucket: "b", at: i - 5 } } })) },
}));
const page = await documents.send(new QueryCommand({
  TableName, KeyConditionExpression: "#b = :b AND #at > :n", ExpressionAttributeNames: { "#b": "bucket", "#at": "at" },
  ExpressionAttributeValues: { ":b": "b", ":n": 10 }, ScanIndexForward: false, Limit: 3,
}));
assert.deepEqual(page.Items.map((item) => item.at), [19, 18, 17]);
assert.deepEqual(page.LastEvaluatedKey, { bucket: "b", at: 17 });
let scanned = 0;
for await (const { Items } of paginateScan({ client: documents, pageSize: 7 }, { TableName })) scanned += Items.length;
assert.equal(scanned, 26);

await assert.rejects(documents.send(new TransactWriteCommand({ TransactItems: [
  { Put: { TableName, Item: { bucket: "c", at: 1 } } },
  { ConditionCheck: { TableName, Key: { bucket: "a", at: 1 }, ConditionExpression: "attribute_not_exists(#b)", ExpressionAttributeNames: { "#b": "bucket" } } },
] })), (error) => error.name === "TransactionCanceledException" &&
  error.CancellationReasons.map((reason) => reason.Code).join() === "None,ConditionalCheckFailed");
assert.equal((await documents.send(new ScanCommand({ TableName, Select: "COUNT" }))).Count, 26);

const stranger = new DynamoDBClient({ ...options, credentials: { accessKeyId, secretAccessKey: "wrong" } });
await assert.rejects(stranger.send(new ListTablesCommand({})), { name: "InvalidSignatureException" });
console.log("session complete");
