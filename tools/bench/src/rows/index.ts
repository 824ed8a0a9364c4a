import type { Row } from "../row.ts";
import { audit } from "./audit.ts";
import { bareServer } from "./bare-server.ts";
import { cluster } from "./cluster.ts";
import { controllers } from "./controllers.ts";
import { createRows } from "./create.ts";
import { decisions } from "./decisions.ts";
import { deployments } from "./deployments.ts";
import { deploymentsBeside } from "./deployments-beside.ts";
import { dns } from "./dns.ts";
import { getRows } from "./get.ts";
import { list } from "./list.ts";
import { node } from "./node.ts";
import { resident } from "./resident.ts";
import { scheduleRows } from "./schedule.ts";
import { schedulerBeside } from "./scheduler-beside.ts";
import { schedulerMemory } from "./scheduler-memory.ts";
import { serviceRequests } from "./service-requests.ts";
import { serviceRows } from "./services.ts";
import { start } from "./start.ts";
import { watch } from "./watch.ts";

/** Every row, in the order in which they are measured and shown. */
export const allRows: readonly Row[] = [
  start,
  resident,
  cluster,
  node,
  ...createRows,
  ...getRows,
  audit,
  list,
  watch,
  decisions,
  schedulerMemory,
  ...scheduleRows,
  ...schedulerBeside,
  deployments,
  deploymentsBeside,
  controllers,
  dns,
  ...serviceRows,
  serviceRequests,
  bareServer,
];
