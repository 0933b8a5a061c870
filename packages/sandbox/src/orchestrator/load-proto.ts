import { fileURLToPath } from 'node:url';
import type { ServiceDefinition } from '@grpc/grpc-js';
import { loadSync, type PackageDefinition } from '@grpc/proto-loader';

const folder = fileURLToPath(new URL('../../proto', import.meta.url));

export interface Services {
  readonly orchestrator: ServiceDefinition;
  readonly health: ServiceDefinition;
}

let loaded: Services | undefined;

/** The services of the `.proto` files, which are the contract. Read once. */
export function loadProto(): Services {
  loaded ??= (() => {
    const definitions = loadSync(
      ['forge/orchestrator/v1/orchestrator.proto', 'grpc/health/v1/health.proto'],
      { includeDirs: [folder], longs: Number, enums: String, defaults: true, oneofs: true },
    );
    return {
      orchestrator: serviceIn(definitions, 'forge.orchestrator.v1.Orchestrator'),
      health: serviceIn(definitions, 'grpc.health.v1.Health'),
    };
  })();
  return loaded;
}

function serviceIn(definitions: PackageDefinition, name: string): ServiceDefinition {
  const found = definitions[name];
  // Messages and enums have a format; what has none is a service.
  if (found === undefined || 'format' in found)
    throw new Error(`${name} is not in the .proto files`);
  return found;
}
