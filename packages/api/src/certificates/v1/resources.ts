import type { ResourceDefinition } from "@orchernetes/apimachinery";
import { erase } from "../../meta/erase.ts";
import { certificateSigningRequests } from "./certificate-signing-request.ts";

/** Resources of `certificates.o8s.io/v1`. */
export const certificatesV1: readonly ResourceDefinition[] = [erase(certificateSigningRequests)];
