import { createHash, randomUUID } from "node:crypto";
import { coordination } from "@orchernetes/api";
import { isAlreadyExists, isNotFound } from "@orchernetes/apimachinery";
import type { Clock, Timer } from "@orchernetes/kernel";
import type { BootstrapContext, PostStartHook } from "../post-start/hooks.ts";

const NAMESPACE = "orch-system";
const COMPONENT = "orch-apiserver";
const COMPONENT_LABEL = "apiserver.orchernetes.io/identity";
const DURATION_SECONDS = 3600;
const RENEW_MS = 10_000;
const COLLECT_MS = 3600_000;
const BASE32 = "abcdefghijklmnopqrstuvwxyz234567";

/** A text after its length in two bytes, so that two texts together are like no other two. */
function withLength(text: string): Buffer {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** The name of the lease of the API server on a host. */
export function identityOf(hostname: string): string {
  let bits = "";
  const hash = createHash("sha256").update(withLength(hostname)).update(withLength(COMPONENT)).digest();
  for (const byte of hash.subarray(0, 16)) bits += byte.toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return `apiserver-${groups.map((group) => BASE32[Number.parseInt(group.padEnd(5, "0"), 2)]).join("")}`;
}

/**
 * Each server shows that it is alive by a lease that it renews every 10 seconds, and removes those of servers that have not renewed
 * theirs for an hour (gate APIServerIdentity, KEP-1965).
 */
export function identityLeaseHooks({
  hostname,
  clock,
}: {
  readonly hostname: string;
  readonly clock: Clock;
}): readonly PostStartHook[] {
  const name = identityOf(hostname);
  const holderIdentity = `${name}_${randomUUID()}`;
  return [
    {
      name: "start-orch-apiserver-identity-lease-controller",
      run: async (context) =>
        repeat(context, clock, RENEW_MS, () => renew(context, { name, holderIdentity, hostname, clock })),
    },
    {
      name: "start-orch-apiserver-identity-lease-garbage-collector",
      run: async (context) => repeat(context, clock, COLLECT_MS, () => collect(context, clock)),
    },
  ];
}

/** Works now and then every `periodMs`, until the server stops. A failure is logged; the next turn tries again. */
function repeat({ signal, logger }: BootstrapContext, clock: Clock, periodMs: number, work: () => Promise<void>): void {
  let timer: Timer | undefined;
  const turn = async (): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!signal.aborted) logger.error(error, "Leases of API servers could not be updated");
    }
    if (!signal.aborted) timer = clock.setTimeout(() => void turn(), periodMs).unref();
  };
  signal.addEventListener("abort", () => timer?.clear(), { once: true });
  void turn();
}

async function renew(
  { registry, signal }: BootstrapContext,
  own: { readonly name: string; readonly holderIdentity: string; readonly hostname: string; readonly clock: Clock },
): Promise<void> {
  const { name, holderIdentity, hostname, clock } = own;
  const store = registry.forDefinition(coordination.leases);
  const ref = { namespace: NAMESPACE, name };
  const labels = { [COMPONENT_LABEL]: COMPONENT, "orchernetes.io/hostname": hostname };
  const renewTime = clock.now().toISOString().replace("Z", "000Z");
  const spec = { holderIdentity, leaseDurationSeconds: DURATION_SECONDS, renewTime };
  try {
    await store.update(
      ref,
      (draft) => {
        draft.metadata.labels = { ...draft.metadata.labels, ...labels };
        draft.spec = { ...draft.spec, ...spec };
      },
      { signal },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
    await store.create({ metadata: { ...ref, labels }, spec }, { signal }).catch((error: unknown) => {
      // Another server of this host was faster; the next turn renews it.
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

async function collect({ registry, signal }: BootstrapContext, clock: Clock): Promise<void> {
  const store = registry.forDefinition(coordination.leases);
  const { items } = await store.list({ namespace: NAMESPACE, labelSelector: `${COMPONENT_LABEL}=${COMPONENT}` });
  for (const { metadata, spec } of items) {
    const { name = "", uid, resourceVersion } = metadata;
    const { renewTime, leaseDurationSeconds } = spec;
    const until = renewTime === undefined ? 0 : Date.parse(renewTime) + (leaseDurationSeconds ?? 0) * 1000;
    if (until > clock.nowMs()) continue;
    const preconditions = { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) };
    await store.delete({ namespace: NAMESPACE, name }, { preconditions, signal }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}
