import { cipherSuites, minVersion } from "./tls.ts";

/**
 * Fields of the node agents' OrchletConfiguration, laid over those of every cluster. Anonymous requests, authorization by the API
 * server and port 0 for reading are those of every cluster.
 *
 * @param protectKernelDefaults whether the agent may insist on the kernel's settings: it does not start where they differ
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
