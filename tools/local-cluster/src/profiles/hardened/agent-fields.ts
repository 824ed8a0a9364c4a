import { cipherSuites, minVersion } from "./tls.ts";

/**
 * Fields of the node agents' OrchletConfiguration, which override those of every cluster. Every cluster already rejects anonymous requests,
 * authorizes through the API server, and has no read-only port.
 *
 * @param protectKernelDefaults whether the agent requires its kernel settings: if so, it does not start where they differ
 */
export const agentFields = (protectKernelDefaults: boolean): Readonly<Record<string, unknown>> => ({
  // The serving certificate comes from the certificates API, and the client's is renewed there.
  tlsCertFile: undefined,
  tlsPrivateKeyFile: undefined,
  serverTLSBootstrap: true,
  rotateCertificates: true,
  tlsMinVersion: minVersion,
  tlsCipherSuites: cipherSuites,
  enableProfilingHandler: false,
  streamingConnectionIdleTimeout: "5m",
  seccompDefault: true,
  podPidsLimit: 1024,
  protectKernelDefaults,
});
