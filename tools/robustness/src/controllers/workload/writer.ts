import { setTimeout as sleep } from "node:timers/promises";
import { type ApiObject, isAlreadyExists, isInvalid, isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client, Manifest, ResourceRef } from "@orchernetes/client";
import { pods } from "../api/resources.ts";
import { DISRUPTED_ANNOTATION } from "../facts/facts-of.ts";
import type { Dice } from "./dice.ts";

/** Pause before a request that failed is repeated, and the time limit for all attempts. */
const RETRY_MS = 100;
const LIMIT_MS = 60_000;

/** Writes the objects of a round, and repeats what fails until it succeeds: all of it may be done twice. */
export class Writer {
  readonly #client: Client;
  readonly namespace: string;
  /** The revision of the last write of each owner, by its uid. */
  readonly written = new Map<string, number>();

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.namespace = namespace;
  }

  /** Creates an owner. */
  async create<T extends ApiObject>(ref: ResourceRef<T>, name: string, spec: Manifest<T>): Promise<void> {
    const resource = this.#client.resource(ref).namespace(this.namespace);
    const object = { ...spec, metadata: { name } } as Manifest<T>;
    this.#note(
      await repeat(`create ${ref.kind} ${name}`, () =>
        resource.create(object).catch((error: unknown) => {
          if (isAlreadyExists(error)) return resource.get(name);
          throw error;
        }),
      ),
    );
  }

  /** Changes parts of an owner. */
  async change<T extends ApiObject>(ref: ResourceRef<T>, name: string, patch: Manifest<T>): Promise<void> {
    const resource = this.#client.resource(ref).namespace(this.namespace);
    this.#note(await repeat(`change ${ref.kind} ${name}`, () => resource.patch(name, patch)));
  }

  /** Deletes a random pod with the label `app`, after a mark that it was not the controller. */
  async disrupt(app: string, dice: Dice): Promise<void> {
    const resource = this.#client.resource(pods).namespace(this.namespace);
    await repeat(`delete a pod of ${app}`, async () => {
      const { items } = await resource.list({ labelSelector: `app=${app}` });
      const [first, ...others] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
      if (first === undefined) return;
      const { name, uid } = dice.pick([first, ...others]).metadata;
      const ignoreGone = (error: unknown): void => {
        if (!isNotFound(error)) throw error;
      };
      await resource
        .patch(name, { metadata: { uid, annotations: { [DISRUPTED_ANNOTATION]: "true" } } })
        .then(() => resource.delete(name, { preconditions: { uid } }))
        .catch(ignoreGone);
    });
  }

  /** Deletes all owners of some kinds; their dependents are left to the garbage collector. */
  async deleteAll(...refs: readonly ResourceRef<ApiObject>[]): Promise<void> {
    for (const ref of refs) {
      const resource = this.#client.resource(ref).namespace(this.namespace);
      await repeat(`delete all ${ref.plural}`, () =>
        resource.deleteCollection({}, { propagationPolicy: "Background" }),
      );
    }
  }

  #note({ metadata }: Stored<ApiObject>): void {
    this.written.set(metadata.uid, Number(metadata.resourceVersion));
  }
}

/** Repeats a request until it succeeds. @throws Error at the time limit, or when the server finds the object invalid */
export async function repeat<T>(what: string, request: () => Promise<T>): Promise<T> {
  const until = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      return await request();
    } catch (error) {
      if (isInvalid(error) || performance.now() > until) throw new Error(`cannot ${what}`, { cause: error });
    }
    await sleep(RETRY_MS);
  }
}
