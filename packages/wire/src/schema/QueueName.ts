import { SchemaLimits } from "./SchemaLimits.ts"

const QueuePattern = /^[a-z0-9._-]+$/

/** Tells whether a text can be the name of a queue. Spec: Quick-match limits. */
export const isQueueName = (text: string): boolean =>
  QueuePattern.test(text) && text.length <= SchemaLimits.queueNameChars.max
