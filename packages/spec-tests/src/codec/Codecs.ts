import type { HttpAnswer, HttpRequest } from "../trial/HttpProbe.ts"
import type { MatchCodec } from "./MatchCodec.ts"
import type { OpenAsked, OpenCall, OpenEndpoint } from "./OpenCalls.ts"
import type { RoomCodec } from "./RoomCodec.ts"

/**
 * Shapes that the specification does not show. Each has a default, the one of our decisions; an
 * implementation with others brings a module that exports some of these.
 */
export interface Codecs {
  /** D-24: what a room and its clients say. */
  readonly room: RoomCodec
  /** D-02. `null` = the body is not in the shape of an error. */
  error(answer: HttpAnswer): { readonly code: string; readonly message: string } | null
  /** D-11: the body of a restore. */
  restoreBody(saveId: string): unknown
  /** D-11: the id of an item of the list of saves. */
  saveId(item: unknown): string | null
  /** D-17: key id and secret in the answer of a mint. */
  minted(json: unknown): { readonly keyId: string; readonly secret: string } | null
  /** D-18: when the key was revoked; null = it was not. */
  revokedAt(row: unknown): string | null
  /** D-10: the body of PATCH caps. */
  capsBody(
    ceilings: Readonly<Record<Meter, number | null>> | Partial<Record<Meter, number | null>>
  ): unknown
  /** D-10: a meter in the answer of GET caps. */
  cap(
    json: unknown,
    meter: Meter
  ): { readonly ceiling: number | null; readonly used: number } | null
  /** D-13: how a project is made. */
  newProject(name: string): { readonly path: string; readonly body: unknown }
  projectId(json: unknown): string | null
  /** D-27: an identity. */
  identityBody(project: string): unknown
  identity(json: unknown): { readonly playerId: string; readonly token: string } | null
  /** D-29: the token of an audience credential. */
  audience(json: unknown): string | null
  /** C-120: how a project is told what its viewers are, `null` = that it has none. */
  audienceRoleBody(project: { readonly name: string; readonly role: string | null }): unknown
  /** D-13: the same, in the record of a project. */
  audienceRole(json: unknown): unknown
  /** D-25: a new join secret of a project, `null` when there is no such route. */
  joinSecretPath(project: string): string
  joinSecret(json: unknown): string | null
  /** D-40: a request for each deed, which changes nothing when it is let through. */
  ownersCalls(project: string): Readonly<Record<OwnersDeed, Call>>
  /** D-10: the names of all meters in the answer of GET caps; `null` = it has none. */
  meters(json: unknown): ReadonlyArray<string> | null
  /** D-23: how a session starts with a login token, and the credential it is from then on. */
  sessionCall(loginToken: string): Call
  session(answer: HttpAnswer): string | null
  /** D-26 to D-34: a call of an open endpoint. */
  openCall(endpoint: OpenEndpoint, asked: OpenAsked): OpenCall
  /** D-31: a request of quick match, and what its answers say. */
  readonly match: MatchCodec
  /** D-32: the rooms of players, in the order in which they were asked for. */
  presence(json: unknown): {
    readonly players: ReadonlyArray<{ readonly playerId: string; readonly roomId: string | null }>
    readonly cursor: string
  } | null
  /** D-34: a read of a board, of its first scores or of those around a player. */
  boardPath(project: string, read: BoardAsked): string
  /** D-34: the rows of a read, and its period; `null` = the answer has none. */
  boardRead(json: unknown): BoardAnswer | null
  /** D-21: rooms in the public registry. */
  lobbyPath(project: string): string
  lobbyRooms(json: unknown): ReadonlyArray<string> | null
}

export interface BoardAsked {
  readonly board: string
  /** Left out: the first scores are read. */
  readonly around?: string
  /** How many rows of a top read, or neighbours on each side; left out = the default. */
  readonly most?: number
  readonly bucket?: string
  readonly period?: string
}

export interface BoardAnswer {
  /** `null` = the board has no periods. */
  readonly period: string | null
  readonly rows: ReadonlyArray<BoardRow>
}

export interface BoardRow {
  readonly rank: number
  readonly player: string
  readonly score: number
}

/** A request without a credential. */
export type Call = Pick<HttpRequest, "method" | "path" | "body">

/** Actions that only the owner of a project may take; an API key may not. */
export type OwnersDeed =
  | "deploy"
  | "rollback"
  | "usage"
  | "billing"
  | "fleet"
  | "account"
  | "cliToken"
  | "playerData"

export type Meter = "roomHours" | "voiceMinutes" | "storageBytes" | "dataOutBytes"
