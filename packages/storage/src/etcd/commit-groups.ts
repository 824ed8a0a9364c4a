import type { ITxnRequest, ITxnResponse } from "etcd3/lib/rpc.js";
import { StoreError } from "../errors.ts";

/** Most commits of one transaction; etcd's own limit is 128 operations. */
const MOST_COMMITS = 8;
/** A commit with larger values, in bytes, is sent alone: others would wait for it. */
const MOST_BYTES = 32 << 10;
/** Number of transactions in flight from which on etcd is busy. */
const BUSY = 4;
/** How long a patient commit waits at most, in milliseconds: a few turns of a busy process. */
const PATIENCE_MS = 10;

/** A commit as a transaction of etcd. */
export interface GroupableCommit {
  readonly request: ITxnRequest;
  /** Folders of all keys that it names (see {@link folderOf}). */
  readonly folders: readonly string[];
  /** Size of its values in bytes. */
  readonly bytes: number;
  /** Whether it may be sent some milliseconds later if that saves a busy etcd a transaction. @default false */
  readonly patient?: boolean;
}

interface Waiting extends GroupableCommit {
  /** By `performance.now()`. */
  readonly sinceMs: number;
  readonly resolve: (response: ITxnResponse) => void;
  readonly reject: (error: unknown) => void;
}

/** How {@link CommitGroups} sends. */
export interface CommitGroupsOptions {
  /** @throws StoreError */
  readonly send: (request: ITxnRequest) => Promise<ITxnResponse>;
  /** Called when everything of this turn of the event loop has been given to `send`. */
  readonly sent: () => void;
}

/**
 * The folder of a key, which is the same for all keys of a resource: `/registry/pods` of `/registry/pods/default/a`. Resources of an
 * API group may share one.
 */
export function folderOf(key: string): string {
  const second = key.indexOf("/", 1);
  const third = second < 0 ? -1 : key.indexOf("/", second + 1);
  return key.slice(0, third < 0 ? Math.max(second, 0) || key.length : third);
}

/**
 * Sends the commits that are made in one turn of the event loop together, as far as they concern different resources: a transaction
 * costs etcd, and this process, nearly the same whether it has one write or several. Each commit is a nested transaction with its own
 * conditions, so that a conflict of one does not affect the others.
 *
 * The commits of a group share a revision. That must not happen to two objects of one resource: a watch that ends between their events
 * is resumed after that revision, and would miss the second one (ADR 11). Watches are of one resource, so commits of different
 * resources can share it.
 *
 * A patient commit that shares its transaction with none waits for one to come, while etcd is busy anyway. Writes of a burst rarely come
 * in equal numbers: in one turn twelve pods and three events, in the next one three pods and twelve events.
 */
export class CommitGroups {
  readonly #options: CommitGroupsOptions;
  #waiting: Waiting[] = [];
  /** Whether {@link #flush} runs at the end of this turn. */
  #isDue = false;
  /** Sends what has waited, if no turn with other commits does. */
  #timer: NodeJS.Timeout | undefined;
  #inFlight = 0;

  constructor(options: CommitGroupsOptions) {
    this.#options = options;
  }

  /**
   * Sends a commit at the end of this turn, or a patient one somewhat later.
   *
   * @throws StoreError; after `Unavailable` and `Timeout` the outcome is unknown
   */
  commit(commit: GroupableCommit): Promise<ITxnResponse> {
    return new Promise((resolve, reject) => {
      const { request, folders, bytes, patient = false } = commit;
      const sinceMs = patient ? performance.now() : 0;
      this.#waiting.push({ request, folders, bytes, patient, sinceMs, resolve, reject });
      if (this.#isDue) return;
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        this.#flush();
      });
    });
  }

  #flush(): void {
    const groups = groupsOf(this.#waiting);
    const held = this.#held(groups);
    this.#waiting = held.flat();
    if (held.length > 0)
      this.#timer ??= setTimeout(() => {
        this.#timer = undefined;
        this.#flush();
      }, PATIENCE_MS);
    for (const group of groups) {
      const [only] = group;
      if (only === undefined || held.includes(group)) continue;
      if (group.length === 1) this.#send(only.request).then(only.resolve, only.reject);
      else void this.#sendTogether(group);
    }
    this.#options.sent();
  }

  /** The groups that wait for commits of a later turn to share their transactions. They come first in the groups of that turn. */
  #held(groups: readonly (readonly Waiting[])[]): readonly (readonly Waiting[])[] {
    const now = performance.now();
    const mayWait = ({ patient = false, bytes, sinceMs }: Waiting): boolean =>
      patient && bytes <= MOST_BYTES && now - sinceMs < PATIENCE_MS;
    const held = groups.filter((group) => group.every(mayWait));
    return this.#inFlight + groups.length - held.length < BUSY ? [] : held;
  }

  #send(request: ITxnRequest): Promise<ITxnResponse> {
    const sent = this.#options.send(request);
    this.#inFlight++;
    const settled = (): void => void this.#inFlight--;
    sent.then(settled, settled);
    return sent;
  }

  async #sendTogether(group: readonly Waiting[]): Promise<void> {
    let together: ITxnResponse;
    try {
      together = await this.#send({ success: group.map(({ request }) => ({ request_txn: request })) });
    } catch (error) {
      for (const one of group) {
        // etcd has rejected the whole because of one of them, which is not known, and has written nothing.
        if (isRejection(error)) this.#send(one.request).then(one.resolve, one.reject);
        else one.reject(error);
      }
      return;
    }
    const { header, responses } = together;
    for (const [i, one] of group.entries()) {
      const own = responses[i]?.response_txn;
      if (own) one.resolve({ header, succeeded: own.succeeded, responses: own.responses });
      else
        one.reject(new StoreError("Corrupt", `etcd: the response to ${group.length} commits has ${responses.length}`));
    }
  }
}

/** Whether etcd has certainly not applied a request that failed. */
const isRejection = (error: unknown): boolean =>
  error instanceof StoreError && error.reason !== "Unavailable" && error.reason !== "Timeout";

/** Divides commits into groups, in which each folder occurs once. Those of a folder are in groups in their order. */
export function groupsOf<T extends GroupableCommit>(commits: readonly T[]): readonly (readonly T[])[] {
  if (commits.length === 1) return [commits];
  const alone: T[][] = [];
  const groups: T[][] = [];
  /** The group after the last one with the folder. */
  const next = new Map<string, number>();
  for (const commit of commits) {
    if (commit.bytes > MOST_BYTES) {
      alone.push([commit]);
      continue;
    }
    let at = 0;
    for (const folder of commit.folders) at = Math.max(at, next.get(folder) ?? 0);
    while ((groups[at]?.length ?? 0) >= MOST_COMMITS) at++;
    const group = groups[at];
    if (group === undefined) groups.push([commit]);
    else group.push(commit);
    for (const folder of commit.folders) next.set(folder, at + 1);
  }
  return [...groups, ...alone];
}
