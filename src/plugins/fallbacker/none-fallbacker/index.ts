import { z } from 'zod';
import type { FallbackerDefinition } from '../../../core/pipe/index.js';

const schema = z.object({});

export const noneFallbacker: FallbackerDefinition<z.infer<typeof schema>> = {
  kind: 'fallbacker',
  name: 'none-fallbacker',
  title: 'No fallback',
  description:
    "Drops a batch that has finally failed, counted with its reason. The sender's own retry comes before and does not depend on the fallbacker.",
  stability: 'stable',
  schema,
  create: () => ({ nextTryMs: () => -1 }),
};
