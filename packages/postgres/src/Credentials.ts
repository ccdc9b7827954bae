import { randomBytes } from "node:crypto"

import { Schema } from "effect"

/** The passwords of a cluster, kept in a file that only the service's user reads. */
export const Credentials = Schema.Struct({
  /** Of the superuser `postgres`, for maintenance and tests. */
  postgres: Schema.String,
  /** Of the role `atrium`, which owns the database `atrium` and nothing else. */
  atrium: Schema.String
})
export type Credentials = typeof Credentials.Type

const password = (): string => randomBytes(24).toString("base64url")

export const makeCredentials = (): Credentials => ({ postgres: password(), atrium: password() })

/** The connection address of a role for a database of the cluster at this port. */
export const urlOf = (
  role: keyof Credentials,
  credentials: Credentials,
  at: { readonly port: number; readonly database: string }
): string => `postgres://${role}:${credentials[role]}@127.0.0.1:${at.port}/${at.database}`
