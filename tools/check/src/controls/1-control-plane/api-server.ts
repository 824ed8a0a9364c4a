import type { Control } from "../../control.ts";
import { access } from "./api-server/access.ts";
import { admissionPlugins } from "./api-server/admission-plugins.ts";
import { auditLog } from "./api-server/audit-log.ts";
import { credentials } from "./api-server/credentials.ts";
import { encryption } from "./api-server/encryption.ts";
import { serving } from "./api-server/serving.ts";

/** Section 1.2: the API server. */
export const apiServer: readonly Control[] = [
  ...access,
  ...admissionPlugins,
  ...serving,
  ...auditLog,
  ...credentials,
  ...encryption,
];
