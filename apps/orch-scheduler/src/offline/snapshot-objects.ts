import { z } from "zod";

const texts = z.array(z.string());
const textMap = z.record(z.string(), z.string());
const amounts = textMap.optional();
const name = z.string().min(1);

const metadata = z.looseObject({ name, namespace: z.string().optional(), labels: textMap.optional() });
const requirement = z.looseObject({ key: z.string(), operator: z.string(), values: texts.optional() });
const labelSelector = z.looseObject({
  matchLabels: textMap.optional(),
  matchExpressions: z.array(requirement).optional(),
});

const podTerm = z.looseObject({
  topologyKey: z.string(),
  labelSelector: labelSelector.optional(),
  namespaceSelector: labelSelector.optional(),
  namespaces: texts.optional(),
});
const podAffinity = z.looseObject({
  requiredDuringSchedulingIgnoredDuringExecution: z.array(podTerm).optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.looseObject({ weight: z.number(), podAffinityTerm: podTerm }))
    .optional(),
});

const nodeTerm = z.looseObject({
  matchExpressions: z.array(requirement).optional(),
  matchFields: z.array(requirement).optional(),
});
const nodeSelector = z.looseObject({ nodeSelectorTerms: z.array(nodeTerm) });
const nodeAffinity = z.looseObject({
  requiredDuringSchedulingIgnoredDuringExecution: nodeSelector.optional(),
  preferredDuringSchedulingIgnoredDuringExecution: z
    .array(z.looseObject({ weight: z.number(), preference: nodeTerm }))
    .optional(),
});

const container = z.looseObject({
  image: z.string().optional(),
  resources: z.looseObject({ requests: amounts, limits: amounts }),
  ports: z.array(z.looseObject({ hostPort: z.number().optional() })).optional(),
});

const toleration = z.looseObject({
  key: z.string().optional(),
  operator: z.string().optional(),
  value: z.string().optional(),
  effect: z.string().optional(),
});

const spreadConstraint = z.looseObject({
  maxSkew: z.int(),
  topologyKey: z.string(),
  whenUnsatisfiable: z.string(),
  labelSelector: labelSelector.optional(),
  matchLabelKeys: texts.optional(),
  minDomains: z.int().optional(),
});

const podSpec = z.looseObject({
  containers: z.array(container),
  initContainers: z.array(container).optional(),
  overhead: amounts,
  nodeName: z.string().optional(),
  schedulerName: z.string().optional(),
  priority: z.int().optional(),
  preemptionPolicy: z.string().optional(),
  nodeSelector: textMap.optional(),
  affinity: z
    .looseObject({
      nodeAffinity: nodeAffinity.optional(),
      podAffinity: podAffinity.optional(),
      podAntiAffinity: podAffinity.optional(),
    })
    .optional(),
  tolerations: z.array(toleration).optional(),
  topologySpreadConstraints: z.array(spreadConstraint).optional(),
  schedulingGates: z.array(z.looseObject({ name: z.string() })).optional(),
  volumes: z.array(z.looseObject({ name: z.string() })).optional(),
});

const conditions = z.array(z.looseObject({ type: z.string(), status: z.string() })).optional();

/** A pod of a snapshot, as far as decisions rely on the form of its fields. */
export const snapshotPod = z.looseObject({
  metadata: metadata.extend({ namespace: z.string(), uid: z.string() }),
  spec: podSpec,
  status: z.looseObject({
    conditions,
    nominatedNodeName: z.string().optional(),
    startTime: z.string().optional(),
  }),
});

/** A node of a snapshot, likewise. */
export const snapshotNode = z.looseObject({
  metadata,
  spec: z.looseObject({
    unschedulable: z.boolean().optional(),
    taints: z.array(z.looseObject({ key: z.string(), value: z.string().optional(), effect: z.string() })).optional(),
  }),
  status: z.looseObject({
    allocatable: amounts,
    images: z.array(z.looseObject({ names: texts.optional() })).optional(),
  }),
});

/** Another object of a snapshot, likewise. */
export const snapshotObject = z.looseObject({ metadata });

/** One with a spec, likewise. */
export const snapshotObjectWithSpec = snapshotObject.extend({ spec: z.looseObject({}) });

/** One with a spec and a status, likewise. */
export const snapshotObjectWithStatus = snapshotObjectWithSpec.extend({ status: z.looseObject({}) });

/** A persistent volume of a snapshot, likewise. */
export const snapshotVolume = z.looseObject({
  metadata,
  spec: z.looseObject({
    capacity: amounts,
    accessModes: texts.optional(),
    nodeAffinity: z.looseObject({ required: nodeSelector.optional() }).optional(),
  }),
});
