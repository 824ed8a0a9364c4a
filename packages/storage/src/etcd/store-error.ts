import { GrpcError, GrpcStatus } from "@orchernetes/http2/grpc";
import { messageOf } from "@orchernetes/kernel";
import { castGrpcError } from "etcd3/lib/errors.js";
import { StoreError, type StoreErrorReason } from "../errors.ts";

/** Reasons by etcd's messages, for errors whose status code is ambiguous; the first match applies. */
const MESSAGES: readonly (readonly [RegExp, StoreErrorReason])[] = [
  [/required revision has been compacted/, "Compacted"],
  [/required revision is a future revision/, "FutureRevision"],
  [/database space exceeded/, "NoSpace"],
  [/request is too large|too many operations|message larger than max|larger than max/, "TooLarge"],
  [/corrupt/, "Corrupt"],
  [/request timed out/, "Timeout"],
];

const CODES: Readonly<Record<number, StoreErrorReason>> = {
  [GrpcStatus.deadlineExceeded]: "Timeout",
  [GrpcStatus.dataLoss]: "Corrupt",
};

/** The remedy for an exhausted quota, for error messages. */
export const freeSpace =
  "deletes still work; to free space compact its history, defragment it (etcdctl defrag) or raise --quota-backend-bytes, then " +
  "disarm the alarm NOSPACE (etcdctl alarm disarm)";

/**
 * Converts the error of a call to etcd into a StoreError. An unknown error is `Unavailable`, because a retry may
 * succeed.
 *
 * @param action what was attempted, such as `watch`
 */
export function toStoreError(action: string, cause: unknown): StoreError {
  if (cause instanceof StoreError) return cause;
  const message = messageOf(cause);
  const code = cause instanceof Error && "code" in cause && typeof cause.code === "number" ? cause.code : undefined;
  const reason =
    MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ??
    (code === undefined ? undefined : CODES[code]) ??
    "Unavailable";
  const help = reason === "NoSpace" ? `; ${freeSpace}` : "";
  return new StoreError(reason, `etcd: cannot ${action}: ${message}${help}`, { cause: typed(cause) });
}

/** etcd3's own class for an error of the server, such as `EtcdLeaseInvalidError`. */
function typed(cause: unknown): unknown {
  if (!(cause instanceof GrpcError)) return cause;
  const error = Object.assign(new Error(cause.message, { cause }), { code: cause.code });
  return castGrpcError(error);
}
