import { createSecureContext, type SecureContext, type SecureVersion } from "node:tls";
import { fileFingerprint, watchFiles } from "./file-watcher.ts";
import { loadCaBundle, loadServingPair, type ServingPair } from "./pem.ts";

/** The files of a secure context and how they are watched. */
export interface ReloadingSecureContextOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** Bundles of authorities trusted to sign client certificates. */
  readonly caFiles?: readonly string[];
  readonly minVersion?: SecureVersion | undefined;
  /** OpenSSL cipher list. */
  readonly ciphers?: string | undefined;
  /** Polling interval in milliseconds. @default 2000 */
  readonly intervalMs?: number;
  /** Stops watching the files when it aborts; the last context stays usable. */
  readonly signal: AbortSignal;
  /** Called after new contents took effect. */
  readonly onReload?: ((material: SecureMaterial) => void) | undefined;
  /** Called when changed files cannot be used; the former context stays in use. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The material of a secure context. */
export interface SecureMaterial {
  readonly context: SecureContext;
  readonly pair: ServingPair;
  readonly caPem: string | undefined;
}

/** A secure context that follows its files. */
export interface ReloadingSecureContext {
  /** The material in use. */
  current(): SecureMaterial;
}

/**
 * Loads a certificate, its key and an optional client CA bundle, and reloads them: changed files take effect for new
 * connections without a restart. A partly written or mismatched pair is reported through `onError`, and the former one
 * stays in use.
 * @throws TlsMaterialError when the files cannot be used at the start.
 */
export async function reloadingSecureContext(options: ReloadingSecureContextOptions): Promise<ReloadingSecureContext> {
  const files = [options.certFile, options.keyFile, ...(options.caFiles ?? [])];
  // Taken before loading, so that the first check detects a change that is made in between.
  const since = await fileFingerprint(files);
  let material = await load(options);
  watchFiles({
    files,
    since,
    signal: options.signal,
    ...(options.intervalMs === undefined ? {} : { intervalMs: options.intervalMs }),
    onChange: async () => {
      const next = await load(options);
      const same = (["certPem", "keyPem"] as const).every((part) => next.pair[part] === material.pair[part]);
      if (same && next.caPem === material.caPem) return;
      material = next;
      options.onReload?.(material);
    },
    onError: (error) => options.onError?.(error),
  });
  return { current: () => material };
}

async function load(options: ReloadingSecureContextOptions): Promise<SecureMaterial> {
  const pair = await loadServingPair(options.certFile, options.keyFile);
  const bundles = await Promise.all((options.caFiles ?? []).map(loadCaBundle));
  const caPem = bundles.length === 0 ? undefined : bundles.map(({ pem }) => pem).join("\n");
  const context = createSecureContext({
    cert: pair.certPem,
    key: pair.keyPem,
    ...(caPem === undefined ? {} : { ca: bundles.map(({ pem }) => pem) }),
    ...(options.minVersion === undefined ? {} : { minVersion: options.minVersion }),
    ...(options.ciphers === undefined ? {} : { ciphers: options.ciphers }),
  });
  return { context, pair, caPem };
}
