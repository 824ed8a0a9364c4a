import protobuf from "protobufjs";

/**
 * The protocol between a manager and the process of a provider. `docs/examples/cloud-provider/cloud-provider.proto` is this text; a test
 * compares them. Nodes and services are the API's JSON, so that the protocol need not change with them; long fields that no cloud needs
 * (managedFields, images) are left out.
 */
export const PROTO = `syntax = "proto3";

package orchernetes.cloudprovider.v1;

// Errors are gRPC status codes: NOT_FOUND, UNIMPLEMENTED, INVALID_ARGUMENT, UNAVAILABLE, and FAILED_PRECONDITION if another controller
// implements the operation. All calls may be repeated.
service CloudProvider {
  // The first call on a connection.
  rpc GetInfo(InfoRequest) returns (Info);

  rpc InstanceExists(NodeRequest) returns (Answer);
  rpc InstanceIsShutDown(NodeRequest) returns (Answer);
  rpc InstanceMetadata(NodeRequest) returns (OptionalMetadata);
  rpc ZoneOfNode(NodeRequest) returns (Zone);

  rpc GetLoadBalancer(ServiceRequest) returns (OptionalStatus);
  rpc LoadBalancerName(ServiceRequest) returns (Name);
  rpc EnsureLoadBalancer(ServiceRequest) returns (OptionalStatus);
  rpc UpdateLoadBalancer(ServiceRequest) returns (OptionalStatus);
  rpc EnsureLoadBalancerDeleted(ServiceRequest) returns (Nothing);

  rpc ListRoutes(ClusterRequest) returns (RouteList);
  rpc CreateRoute(RouteRequest) returns (Nothing);
  rpc DeleteRoute(RouteRequest) returns (Nothing);

  rpc ListClusters(ClusterRequest) returns (NameList);
  rpc ClusterAddress(ClusterRequest) returns (Name);
}

message InfoRequest {}

message Info {
  // Such as "example": provider IDs begin with it.
  string name = 1;
  // The parts that it has: "instances", "zones", "loadBalancers", "routes", "clusters".
  repeated string parts = 2;
  // The things of this cluster cannot be told from those of others.
  bool lacks_cluster_id = 3;
}

message NodeRequest {
  string cluster_name = 1;
  // A v1 Node as JSON.
  string node = 2;
}

message Answer {
  bool value = 1;
}

message Address {
  string type = 1;
  string address = 2;
}

message Metadata {
  string provider_id = 1;
  string instance_type = 2;
  string zone = 3;
  string region = 4;
  repeated Address addresses = 5;
}

message OptionalMetadata {
  // Absent: there is nothing to say about the node yet.
  Metadata metadata = 1;
}

message Zone {
  string zone = 1;
  string region = 2;
}

message ServiceRequest {
  string cluster_name = 1;
  // A v1 Service as JSON.
  string service = 2;
  // v1 Nodes as JSON; for EnsureLoadBalancer and UpdateLoadBalancer.
  repeated string nodes = 3;
}

message Ingress {
  string ip = 1;
  string hostname = 2;
}

message Status {
  repeated Ingress ingress = 1;
}

message OptionalStatus {
  // Absent: there is no load balancer, or its status is unchanged by an update.
  Status status = 1;
}

message Name {
  string name = 1;
}

message NameList {
  repeated string names = 1;
}

message Nothing {}

message ClusterRequest {
  string cluster_name = 1;
  // For ClusterAddress: the cluster that is asked about.
  string cluster = 2;
}

message Route {
  string name = 1;
  string target_node = 2;
  repeated Address target_node_addresses = 3;
  bool enable_node_addresses = 4;
  string destination_cidr = 5;
  bool blackhole = 6;
}

message RouteList {
  repeated Route routes = 1;
}

message RouteRequest {
  string cluster_name = 1;
  Route route = 2;
  // For CreateRoute.
  string name_hint = 3;
}
`;

const SERVICE = "orchernetes.cloudprovider.v1.CloudProvider";

/** Fields of a message, by their names in camel case. */
export type Fields = Readonly<Record<string, unknown>>;

/** A method of the service: its path, and how its messages are read and written. */
export interface ProtocolMethod {
  readonly path: string;
  readonly encodeRequest: (fields: Fields) => Buffer;
  readonly decodeRequest: (bytes: Uint8Array) => Fields;
  readonly encodeResponse: (fields: Fields) => Buffer;
  readonly decodeResponse: (bytes: Uint8Array) => Fields;
}

/** The methods of the service by name. */
export function protocolMethods(): ReadonlyMap<string, ProtocolMethod> {
  const { root } = protobuf.parse(PROTO);
  const service = root.lookupService(SERVICE);
  const scope = service.parent ?? root;
  const encoder = (type: protobuf.Type) => (fields: Fields) =>
    Buffer.from(type.encode(type.fromObject(fields)).finish());
  // Absent lists and texts are empty ones; absent messages stay absent.
  const decoder = (type: protobuf.Type) => (bytes: Uint8Array) =>
    withoutNulls(type.toObject(type.decode(bytes), { defaults: true }));
  return new Map(
    service.methodsArray.map(({ name, requestType, responseType }) => {
      const [request, response] = [scope.lookupType(requestType), scope.lookupType(responseType)];
      const method: ProtocolMethod = {
        path: `/${SERVICE}/${name}`,
        encodeRequest: encoder(request),
        decodeRequest: decoder(request),
        encodeResponse: encoder(response),
        decodeResponse: decoder(response),
      };
      return [name, method];
    }),
  );
}

const withoutNulls = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
