/** Users that a rule applies to. `name: "*"` of a group, user or service account means all of that kind. */
export interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string } | undefined;
  readonly group?: { readonly name: string } | undefined;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
}

/** The requests that a flow schema matches, of some subjects. */
export interface FlowRule {
  readonly subjects: readonly FlowSubject[];
  readonly resourceRules?:
    | readonly {
        readonly verbs: readonly string[];
        readonly apiGroups: readonly string[];
        readonly resources: readonly string[];
        readonly clusterScope?: boolean | undefined;
        readonly namespaces?: readonly string[] | undefined;
      }[]
    | undefined;
  readonly nonResourceRules?:
    | readonly { readonly verbs: readonly string[]; readonly nonResourceURLs: readonly string[] }[]
    | undefined;
}

/** The fields of a FlowSchema that the server uses. */
export interface FlowSchemaConfiguration {
  readonly name: string;
  readonly uid: string;
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string };
    /** The schema with the lowest value is matched first. @default 1000 */
    readonly matchingPrecedence?: number | undefined;
    /** `ByUser` or `ByNamespace`: what distinguishes flows. Absent: all requests of the schema are one flow. */
    readonly distinguisherMethod?: { readonly type: string } | undefined;
    readonly rules?: readonly FlowRule[] | undefined;
  };
}

/** The fields of a PriorityLevelConfiguration that the server uses. */
export interface PriorityLevelConfiguration {
  readonly name: string;
  readonly uid: string;
  readonly spec: {
    readonly type: string;
    readonly limited?:
      | {
          /** @default 30 */
          readonly nominalConcurrencyShares?: number | undefined;
          readonly lendablePercent?: number | undefined;
          /** Limit of borrowed seats, in per cent of the nominal ones. Absent: as many as other levels lend. */
          readonly borrowingLimitPercent?: number | undefined;
          readonly limitResponse?:
            | {
                readonly type: string;
                readonly queuing?:
                  | {
                      readonly queues?: number | undefined;
                      readonly handSize?: number | undefined;
                      readonly queueLengthLimit?: number | undefined;
                    }
                  | undefined;
              }
            | undefined;
        }
      | undefined;
  };
}

/** The configuration of flow control. Both lists contain the mandatory objects `exempt` and `catch-all`. */
export interface FlowControlConfiguration {
  readonly flowSchemas: readonly FlowSchemaConfiguration[];
  readonly priorityLevels: readonly PriorityLevelConfiguration[];
}
