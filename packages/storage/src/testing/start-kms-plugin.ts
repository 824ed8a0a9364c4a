import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServiceDefinition, sendUnaryData } from "@grpc/grpc-js";

/** The messages of both versions of the API. */
const PROTO = `
syntax = "proto3";
message VersionResponse { string version = 1; string runtime_name = 2; string runtime_version = 3; }
message V1DecryptRequest { string version = 1; bytes cipher = 2; }
message V1DecryptResponse { bytes plain = 1; }
message V1EncryptRequest { string version = 1; bytes plain = 2; }
message V1EncryptResponse { bytes cipher = 1; }
message StatusResponse { string version = 1; string healthz = 2; string key_id = 3; }
message DecryptRequest { bytes ciphertext = 1; string uid = 2; string key_id = 3; map<string, bytes> annotations = 4; }
message DecryptResponse { bytes plaintext = 1; }
message EncryptRequest { bytes plaintext = 1; string uid = 2; }
message EncryptResponse { bytes ciphertext = 1; string key_id = 2; map<string, bytes> annotations = 3; }
`;

/** How a plugin responds to calls. */
export type KmsPluginBehaviour =
  | { readonly type: "work" }
  | { readonly type: "slow"; readonly delayMs: number }
  /** Never answers. */
  | { readonly type: "silent" }
  /** Answers every call with an error. */
  | { readonly type: "fail"; readonly message: string }
  /** Reports this health; otherwise it works. */
  | { readonly type: "unhealthy"; readonly healthz: string }
  /** Reports this version; otherwise it works. */
  | { readonly type: "version"; readonly version: string }
  /** Encrypts with another key than its status reports. */
  | { readonly type: "otherKeyId" }
  /** Encrypts and decrypts to nothing. */
  | { readonly type: "empty" }
  /** Encrypts and decrypts to this many bytes. */
  | { readonly type: "enormous"; readonly bytes: number }
  /** Decrypts to something else. */
  | { readonly type: "wrong" };

/**
 * A key management service on a unix socket that misbehaves as a test needs. It implements versions 1 and 2 of the
 * API.
 */
export interface KmsPlugin {
  /** `unix:///path` */
  readonly endpoint: string;
  /** The current key: `key-1`, after a {@link KmsPlugin.rotate} `key-2` and so on. */
  readonly keyId: string;
  /** Calls so far by method: `v1beta1.Encrypt`, `v2.Status` … */
  readonly calls: Readonly<Record<string, number>>;
  behave(behaviour: KmsPluginBehaviour): void;
  /** Encrypts with a new key from now on; the former ones still decrypt. */
  rotate(): void;
  /** Ends it, as a crash does. {@link KmsPlugin.start} starts it again with the same keys. */
  kill(): void;
  start(): Promise<void>;
  /** Ends it, and removes its socket. */
  stop(): void;
}

type Fields = Readonly<Record<string, unknown>>;

/** Starts a service that works until its behaviour is changed with {@link KmsPlugin.behave}. */
export async function startKmsPlugin(): Promise<KmsPlugin> {
  const dir = mkdtempSync(join(tmpdir(), "kms-"));
  const endpoint = `unix://${dir}/kms.sock`;
  const keys = new Keys();
  const calls: Record<string, number> = {};
  let behaviour: KmsPluginBehaviour = { type: "work" };
  const create = () =>
    listen(endpoint, (path, request, done) => {
      const method = path.slice(1).replace(".KeyManagementService/", ".");
      calls[method] = (calls[method] ?? 0) + 1;
      respond(behaviour, (error) => {
        if (error !== undefined) done({ code: 13, message: error });
        else {
          try {
            done(null, responseTo(method, request, { keys, behaviour }));
          } catch (cause) {
            done({ code: 13, message: String(cause) });
          }
        }
      });
    });
  let running: { forceShutdown(): void } | undefined = await create();
  const kill = () => {
    running?.forceShutdown();
    running = undefined;
  };
  return {
    endpoint,
    get keyId() {
      return keys.current;
    },
    calls,
    behave(next) {
      behaviour = next;
    },
    rotate: () => keys.rotate(),
    kill,
    async start() {
      running ??= await create();
    },
    stop() {
      kill();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** The keys of a plugin, which never leave it. */
class Keys {
  readonly #keys: { readonly id: string; readonly secret: Buffer }[] = [];

  constructor() {
    this.rotate();
  }

  get current(): string {
    return this.#keys.at(-1)?.id ?? "";
  }

  rotate(): void {
    this.#keys.push({ id: `key-${this.#keys.length + 1}`, secret: randomBytes(32) });
  }

  encrypt(plain: Uint8Array): Buffer {
    const { secret } = this.#keys.at(-1) ?? { secret: Buffer.alloc(32) };
    const nonce = randomBytes(12);
    const aes = createCipheriv("aes-256-gcm", secret, nonce);
    return Buffer.concat([Buffer.from([this.#keys.length]), nonce, aes.update(plain), aes.final(), aes.getAuthTag()]);
  }

  /** @throws Error for bytes that it has not encrypted */
  decrypt(cipher: Uint8Array): Buffer {
    const bytes = Buffer.from(cipher);
    const key = this.#keys[(bytes[0] ?? 0) - 1];
    if (key === undefined || bytes.length < 29) throw new Error("it was not encrypted with a key of this service");
    const aes = createDecipheriv("aes-256-gcm", key.secret, bytes.subarray(1, 13)).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([aes.update(bytes.subarray(13, -16)), aes.final()]);
  }
}

function respond(how: KmsPluginBehaviour, proceed: (error?: string) => void): void {
  if (how.type === "silent") return;
  if (how.type === "slow") setTimeout(proceed, how.delayMs);
  else proceed(how.type === "fail" ? how.message : undefined);
}

function responseTo(
  method: string,
  request: Fields,
  { keys, behaviour }: { readonly keys: Keys; readonly behaviour: KmsPluginBehaviour },
): Fields {
  const version = (own: string) => (behaviour.type === "version" ? behaviour.version : own);
  const bytes = (name: string) => request[name] as Uint8Array;
  const encrypted = (plain: Uint8Array) => distorted(behaviour, () => keys.encrypt(plain));
  const decrypted = (cipher: Uint8Array) =>
    behaviour.type === "wrong" ? randomBytes(32) : distorted(behaviour, () => keys.decrypt(cipher));
  switch (method) {
    case "v1beta1.Version":
      return { version: version("v1beta1"), runtimeName: "test", runtimeVersion: "1" };
    case "v1beta1.Encrypt":
      return { cipher: encrypted(bytes("plain")) };
    case "v1beta1.Decrypt":
      return { plain: decrypted(bytes("cipher")) };
    case "v2.Status":
      return {
        version: version("v2beta1"),
        healthz: behaviour.type === "unhealthy" ? behaviour.healthz : "ok",
        keyId: keys.current,
      };
    case "v2.Encrypt":
      return {
        ciphertext: encrypted(bytes("plaintext")),
        keyId: behaviour.type === "otherKeyId" ? "stranger" : keys.current,
        annotations: { "kms.example": Buffer.from("a") },
      };
    case "v2.Decrypt":
      return { plaintext: decrypted(bytes("ciphertext")) };
    default:
      throw new Error(`unknown method ${method}`);
  }
}

function distorted(how: KmsPluginBehaviour, work: () => Buffer): Buffer {
  if (how.type === "empty") return Buffer.alloc(0);
  return how.type === "enormous" ? Buffer.alloc(how.bytes, "x") : work();
}

type Serve = (path: string, request: Fields, done: sendUnaryData<Fields>) => void;

async function listen(endpoint: string, serve: Serve): Promise<{ forceShutdown(): void }> {
  const { Server, ServerCredentials } = await import("@grpc/grpc-js");
  const { default: protobuf } = await import("protobufjs");
  const { root } = protobuf.parse(PROTO);
  const server = new Server();
  const unary = (service: string, method: string, [request, response]: readonly [string | undefined, string]) => {
    const requestType = request === undefined ? undefined : root.lookupType(request);
    const responseType = root.lookupType(response);
    const definition = {
      path: `/${service}.KeyManagementService/${method}`,
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => requestType?.decode(bytes) ?? {},
      responseSerialize: (value: Fields) => Buffer.from(responseType.encode(responseType.fromObject(value)).finish()),
      responseDeserialize: (bytes: Buffer) => bytes,
    };
    const handler = (call: { readonly request: Fields }, done: sendUnaryData<Fields>) =>
      serve(definition.path, call.request, done);
    server.addService({ [method]: definition } as unknown as ServiceDefinition, { [method]: handler });
  };
  unary("v1beta1", "Version", [undefined, "VersionResponse"]);
  unary("v1beta1", "Encrypt", ["V1EncryptRequest", "V1EncryptResponse"]);
  unary("v1beta1", "Decrypt", ["V1DecryptRequest", "V1DecryptResponse"]);
  unary("v2", "Status", [undefined, "StatusResponse"]);
  unary("v2", "Encrypt", ["EncryptRequest", "EncryptResponse"]);
  unary("v2", "Decrypt", ["DecryptRequest", "DecryptResponse"]);
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(endpoint, ServerCredentials.createInsecure(), (error) => (error ? reject(error) : resolve())),
  );
  return server;
}
