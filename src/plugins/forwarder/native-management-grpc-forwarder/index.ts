import { z } from 'zod';
import { RelayForwarder } from '../../../core/pipe/index.js';
import type { ForwarderDefinition } from '../../../core/pipe/index.js';
import { MANAGEMENT_FORWARD_PATHS } from '../../../core/wire/index.js';

const schema = z.object({});

export const nativeManagementGrpcForwarder: ForwarderDefinition<z.infer<typeof schema>> = {
  kind: 'forwarder',
  name: 'native-management-grpc-forwarder',
  title: 'Agent management to OAP',
  description:
    "Where the management receiver's calls go: the backend's ManagementService, under its packaged name whatever name the agent used.",
  stability: 'stable',
  dataType: 'management',
  schema,
  create: () => new RelayForwarder('management', MANAGEMENT_FORWARD_PATHS),
};
