/**
 * The flags of orch-controller-manager: those that every controller manager has, and those of its controllers, which each
 * controller declares itself.
 *
 * @module
 */
import {
  controllerManagerFlags,
  delegatedAuthFlags,
  type FlagTable,
  featureGateFlags,
  fieldsWithoutEffectOf,
  logFlags,
  metricFlags,
  servingFlags,
} from "@orchernetes/component";
import { controllers } from "../controllers/index.ts";

const shared = controllerManagerFlags("orch-controller-manager");
const provider = shared["cloud-provider"];

const ofControllers: FlagTable = Object.assign({}, ...controllers.map(({ flags }) => flags));

/** Flags with values that the daemon itself reads; controllers read theirs from the configuration. */
const ofDaemon = {
  ...shared,
  "cloud-provider": {
    ...provider,
    help: 'Cloud provider: local, grpc, the absolute path of a module, or "external" if cloud-controller-manager runs one; empty means none.',
  },
  ...servingFlags({ port: 10257, minPort: 0, certDir: "" }),
  ...delegatedAuthFlags(false),
  ...featureGateFlags("Generic"),
  ...metricFlags,
  ...logFlags,
};

/** Every flag of orch-controller-manager but `help` and `version`, which every daemon has. */
export const orchControllerManagerFlags: typeof ofDaemon = { ...ofDaemon, ...ofControllers };

/** Fields of its configuration document that are accepted and checked, but have no effect, and that no flag sets. */
const idleFields = [
  "Generic.Port",
  "Generic.Address",
  "NodeLifecycleController.PodEvictionTimeout",
  "PersistentVolumeBinderController.VolumeConfiguration.PersistentVolumeRecyclerConfiguration.MaximumRetry",
];

/** Fields of the configuration document without effect. */
export const fieldsWithoutEffect: readonly string[] = [
  ...fieldsWithoutEffectOf(orchControllerManagerFlags),
  ...idleFields,
];
