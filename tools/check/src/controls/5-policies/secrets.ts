import { type Control, met, notApplicable } from "../../control.ts";
import { nameOf, objectControl } from "../shared/object-control.ts";
import { pluginControl } from "../shared/plugin-control.ts";

/** Sections 5.4 and 5.5: secrets and images. */
export const secrets: readonly Control[] = [
  objectControl({
    number: "5.4.1",
    title: "Secrets are files in pods, not variables",
    severity: "warn",
    what: "pods with secrets in variables",
    none: "no pod has secrets in variables",
    remedy: "mount the secret as a volume",
    offenders: ({ pods }) =>
      pods
        .filter(({ spec }) =>
          [...spec.containers, ...(spec.initContainers ?? [])].some(
            ({ env = [], envFrom = [] }) =>
              env.some(({ valueFrom }) => valueFrom?.secretKeyRef !== undefined) ||
              envFrom.some(({ secretRef }) => secretRef !== undefined),
          ),
        )
        .map(nameOf),
  }),
  {
    number: "5.4.2",
    title: "Keys or secrets are kept outside of the cluster",
    severity: "warn",
    remedy:
      "consider provider kms in the file of --encryption-provider-config, or a store of secrets outside of the cluster",
    judge: ({ encryption }) =>
      encryption?.value.some(({ providers }) => providers[0]?.type === "kms") === true
        ? met("the store is encrypted by a key service", encryption.source)
        : notApplicable("whether to have one is a decision that nothing in the cluster shows"),
  },
  pluginControl({
    number: "5.5.1",
    title: "A service decides which images are admitted",
    plugin: "ImagePolicyWebhook",
    severity: "warn",
  }),
];
