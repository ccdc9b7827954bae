import type { HttpAnswer, HttpRequest } from "./HttpProbe.ts"

/** A request below `/v1/projects/:id`; without a `bearer` the owner's login is sent. */
export type ProjectRequest = Partial<Omit<HttpRequest, "path" | "bearer">> & {
  /** `null` = no credential. */
  readonly bearer?: string | null
}

/** A project of its own, for one check. */
export interface Project {
  readonly id: string
  readonly name: string
  /** The owner's login credential. */
  readonly login: string
  /** Mints an API key of this project. */
  key(...scopes: ReadonlyArray<"rooms:read" | "rooms:write">): Promise<MintedKey>
  /** `path` follows `/v1/projects/:id`: "" or "/rooms…". */
  ask(path: string, request?: ProjectRequest): Promise<HttpAnswer>
}

export interface MintedKey {
  readonly keyId: string
  readonly secret: string
}
