import { createHash, randomBytes } from "node:crypto"

export interface StubKey {
  readonly id: string
  readonly project: string
  readonly digest: string
  /** Kept only by a stub that was told to give it away. */
  readonly leaked: string | null
  readonly label: string
  readonly scopes: ReadonlyArray<string>
  usedAt: string | null
  revokedAt: string | null
}

export interface StubProject {
  readonly id: string
  readonly owner: string
  readonly name: string
  readonly settings: Record<string, unknown>
  readonly ceilings: Map<string, number>
  readonly keys: Array<StubKey>
}

/** Everything that the stub remembers. */
export interface StubState {
  /** By login credential. */
  readonly accounts: ReadonlySet<string>
  readonly projects: Map<string, StubProject>
  readonly keys: Map<string, StubKey>
}

export const digestOf = (secret: string): string =>
  createHash("sha256").update(secret).digest("hex")

export const nowText = (): string => new Date().toISOString()

export const randomText = (length: number): string =>
  [...randomBytes(length)].map((byte) => "ABCDEFGHJKLMNPQRSTUVWXYZabcdefgh"[byte % 32]).join("")

export const newProject = (state: StubState, owner: string, name: string): StubProject => {
  const project: StubProject = {
    id: `p_${randomBytes(8).toString("hex")}`,
    owner,
    name,
    settings: { vmMemMib: null, connectionsPerIpPerMin: null, boards: null, queues: null },
    ceilings: new Map(),
    keys: []
  }
  state.projects.set(project.id, project)
  return project
}
