import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import { EtcdLeaseInvalidError, GRPCUnavailableError } from "etcd3/lib/errors.js";
import { expect, test } from "vitest";
import { StoreError } from "../errors.ts";
import { toStoreError } from "./store-error.ts";

const OUT_OF_RANGE = 11;
const RESOURCE_EXHAUSTED = 8;

test.each<[message: string, code: number, reason: string]>([
  ["etcdserver: mvcc: required revision has been compacted", OUT_OF_RANGE, "Compacted"],
  ["etcdserver: mvcc: required revision is a future revision", OUT_OF_RANGE, "FutureRevision"],
  ["etcdserver: mvcc: database space exceeded", RESOURCE_EXHAUSTED, "NoSpace"],
  ["etcdserver: request is too large", 3, "TooLarge"],
  ["etcdserver: too many operations in txn request", 3, "TooLarge"],
  ["grpc: received message larger than max (3 vs. 2)", RESOURCE_EXHAUSTED, "TooLarge"],
  ["etcdserver: corrupt cluster", GrpcStatus.dataLoss, "Corrupt"],
  ["data was lost", GrpcStatus.dataLoss, "Corrupt"],
  ["etcdserver: request timed out", GrpcStatus.unavailable, "Timeout"],
  ["the deadline passed before the response", GrpcStatus.deadlineExceeded, "Timeout"],
  ["etcdserver: no leader", GrpcStatus.unavailable, "Unavailable"],
  ["anything else", GrpcStatus.unknown, "Unavailable"],
])("%s (code %i) is %s", (message, code, reason) => {
  const error = toStoreError("call /a", new GrpcError(code, message));
  expect(error).toMatchObject({ name: "StoreError", reason });
  expect(error.message).toContain(`etcd: cannot call /a: ${message}`);
  // The remedy is in the message, because administrators see it.
  expect(error.message.includes("disarm the alarm NOSPACE")).toBe(reason === "NoSpace");
});

test("an error's cause is etcd3's own error", () => {
  const lost = new GrpcError(5, "etcdserver: requested lease not found");
  expect(toStoreError("call /a", lost).cause).toBeInstanceOf(EtcdLeaseInvalidError);
  const away = new GrpcError(GrpcStatus.unavailable, "the connection was closed");
  expect(toStoreError("call /a", away).cause).toBeInstanceOf(GRPCUnavailableError);
});

test("an error of the store stays as it is, and what is not an error becomes one", () => {
  const error = new StoreError("Corrupt", "x");
  expect(toStoreError("call /a", error)).toBe(error);
  expect(toStoreError("connect", "refused")).toMatchObject({
    reason: "Unavailable",
    message: "etcd: cannot connect: refused",
    cause: "refused",
  });
});
