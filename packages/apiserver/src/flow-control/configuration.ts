/** Who a rule is about. `name: "*"` of a group, user or service account is everyone of that kind. */
export interface FlowSubject {
  readonly kind: string;
  readonly user?: { readonly name: string } | undefined;
  readonly group?: { readonly name: string } | undefined;
  readonly serviceAccount?: { readonly namespace: string; readonly name: string } | undefined;
}

/** Which requests of which subjects a flow schema takes. */
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

/** A FlowSchema as far as the server acts on it. */
export interface FlowSchemaConfiguration {
  readonly name: string;
  readonly uid: string;
  readonly spec: {
    readonly priorityLevelConfiguration: { readonly name: string };
    /** A lower one is matched first. @default 1000 */
    readonly matchingPrecedence?: number | undefined;
    /** `ByUser` or `ByNamespace`: what distinguishes flows; absent, the schema is one flow. */
    readonly distinguisherMethod?: { readonly type: string } | undefined;
    readonly rules?: readonly FlowRule[] | undefined;
  };
}

/** A PriorityLevelConfiguration as far as the server acts on it. */
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
          /** Absent: as much as there is to borrow. */
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

/** All that decides where a request waits. Both lists hold the mandatory objects `exempt` and `catch-all`. */
export interface FlowControlConfiguration {
  readonly flowSchemas: readonly FlowSchemaConfiguration[];
  readonly priorityLevels: readonly PriorityLevelConfiguration[];
}
