import { z } from 'zod';
import type { MethodRegistry } from '../../../net/grpc/contract.js';
import type { Intake, Receiver, ReceiverDefinition } from '../../../core/pipe/index.js';
import { enumOption } from '../../../core/options.js';
import { MANAGEMENT_METHODS } from '../../../core/wire/index.js';

class ManagementReceiver implements Receiver {
  readonly dataType = 'management';
  readonly isQueued = false;
  readonly isOrdered = false;

  attach(registry: MethodRegistry, intake: Intake): void {
    for (const [method, names] of MANAGEMENT_METHODS.entries()) {
      const handler = intake.createRelayHandler(method, false);
      for (const path of names) registry.register(path, handler);
    }
  }
}

const schema = z.object({
  ack: enumOption(['delivered'], {
    default: 'delivered',
    ours: true,
    doc: "What the OK of a call means. These calls are passed on at once, so it is always the backend's own answer.",
  }),
});

export const grpcNativeManagementReceiver: ReceiverDefinition<z.infer<typeof schema>> = {
  kind: 'receiver',
  name: 'grpc-native-management-receiver',
  title: 'Agent management',
  description:
    "Passes instance properties and keep-alives of agents on to a backend at once, and returns the backend's own answer, commands included. Nothing is queued: without a backend the agent gets UNAVAILABLE.",
  stability: 'stable',
  dataType: 'management',
  schema,
  create: () => new ManagementReceiver(),
};
