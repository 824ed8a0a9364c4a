import {
  type CloudContext,
  cloudNodeController,
  cloudNodeLifecycleController,
  routeController,
  serviceController,
} from "@orchernetes/cloud-provider";
import type { CloudControllerManagerConfiguration } from "@orchernetes/config";
import type { ControllerDescriptor } from "@orchernetes/controller";

/** A controller in the form in which this manager starts it. */
export type CloudController = ControllerDescriptor<CloudContext, CloudControllerManagerConfiguration>;

/** All controllers in their start order. */
export const controllers: readonly CloudController[] = [
  cloudNodeController,
  cloudNodeLifecycleController,
  serviceController,
  routeController(false),
];
