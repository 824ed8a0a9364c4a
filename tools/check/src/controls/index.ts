import type { Control } from "../control.ts";
import { apiServer } from "./1-control-plane/api-server.ts";
import { controllerManager } from "./1-control-plane/controller-manager.ts";
import { controlPlaneFiles } from "./1-control-plane/files.ts";
import { scheduler } from "./1-control-plane/scheduler.ts";
import { etcd } from "./2-etcd/etcd.ts";
import { auditPolicy } from "./3-configuration/audit-policy.ts";
import { authentication } from "./3-configuration/authentication.ts";
import { agent } from "./4-node/agent.ts";
import { nodeFiles } from "./4-node/files.ts";
import { general } from "./5-policies/general.ts";
import { network } from "./5-policies/network.ts";
import { permissions } from "./5-policies/permissions.ts";
import { podSecurity } from "./5-policies/pod-security.ts";
import { secrets } from "./5-policies/secrets.ts";

/** A section of the benchmark. */
export interface Section {
  readonly title: string;
  readonly controls: readonly Control[];
}

/** All controls, in the order of the benchmark. */
export const sections: readonly Section[] = [
  { title: "1.1 Files of the control plane", controls: controlPlaneFiles },
  { title: "1.2 API server", controls: apiServer },
  { title: "1.3 Controller manager", controls: controllerManager },
  { title: "1.4 Scheduler", controls: scheduler },
  { title: "2 etcd", controls: etcd },
  { title: "3.1 Authentication of users", controls: authentication },
  { title: "3.2 Audit", controls: auditPolicy },
  { title: "4.1 Files of nodes", controls: nodeFiles },
  { title: "4.2 Agents of nodes", controls: agent },
  { title: "5.1 Roles and service accounts", controls: permissions },
  { title: "5.2 Pod security", controls: podSecurity },
  { title: "5.3 Network policies", controls: network },
  { title: "5.4 Secrets, 5.5 images", controls: secrets },
  { title: "5.7 General policies", controls: general },
];
