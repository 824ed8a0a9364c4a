import { resourceDefinitions } from "@orchernetes/apimachinery";
import { certificateSigningRequests } from "./certificate-signing-request.ts";

export * from "./certificate-signing-request.ts";
export * from "./types.ts";

/** Resources of `certificates.o8s.io/v1`. */
export const certificatesV1 = resourceDefinitions(certificateSigningRequests);
