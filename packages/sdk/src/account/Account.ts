import type { Client } from "../client/Client.ts"
import { askOpen, fieldsOf, notOfForm, openEndpointsOf } from "../client/OpenEndpoints.ts"

/** A code with which another device becomes the player of this one. Source: D-28. */
export interface LinkCode {
  /** Eight characters, without look-alikes; a device takes them in any case and with dashes. */
  readonly code: string
  /** Ten minutes after the code was made. */
  readonly expiresAt: Date
}

/** A device of a player's account. */
export interface Device {
  readonly deviceId: string
  /** As the device called itself; `null` = it did not. */
  readonly label: string | null
  readonly linkedAt: Date
  /** It is the device of the client that asks. */
  readonly current: boolean
}

/** A player, and the devices that are this player: none for one who has linked no other. */
export interface Account {
  /** The id of the player, which all devices have in rooms. */
  readonly accountId: string
  readonly devices: ReadonlyArray<Device>
}

/** How a device calls itself, 1 to 64 characters. */
export interface DeviceLabel {
  readonly label?: string
}

/** What is left of a deleted player. */
export interface DeletedAccount {
  readonly accountId: string
  /** Scores and ratings stay under this random id, which nobody has. */
  readonly scoresKeptAs: string
}

/** All that is kept of a player: rows by kind, moments in ISO 8601, bytes in base64. */
export type AccountExport = Readonly<
  Record<string, ReadonlyArray<Readonly<Record<string, unknown>>>>
>

const root = "/v1/account"

/**
 * Makes a link code for the client's player; an earlier one of this device ends. Errors of all functions of this
 * module: `RequestError` with the code of the service, such as `E_RATE_LIMITED`, or `E_UNREACHABLE`.
 */
export const makeLinkCode = async (client: Client): Promise<LinkCode> => {
  const { code, expiresAt } = fieldsOf(await post(client, "/link-code", {}))
  if (typeof code !== "string" || typeof expiresAt !== "string") throw notOfForm(root)
  return { code, expiresAt: new Date(expiresAt) }
}

/**
 * Makes the client's device one of the account that made the code: from then on its token is that player, in
 * rooms that it joins. `E_LINK_CODE`: wrong, used, or over ten minutes old. `E_DEVICE_LIMIT`: ten devices.
 */
export const redeemLinkCode = async (
  client: Client,
  code: string,
  { label }: DeviceLabel = {}
): Promise<Account> => accountOf(await post(client, "/link", { code, label }))

/** Tells which player the client is, and the devices that are this player. */
export const readAccount = async (client: Client): Promise<Account> =>
  accountOf(await ask(client, ""))

/**
 * Gives the client's device a credential with which it stays this player: `new Client(url, { device })`. It is told
 * once and does not expire; an earlier one of the device ends. Keep it as you would keep a password.
 */
export const keepDevice = async (
  client: Client,
  { label }: DeviceLabel = {}
): Promise<{ readonly device: Device; readonly credential: string }> => {
  const { device, credential } = fieldsOf(await post(client, "/devices", { label }))
  if (typeof credential !== "string") throw notOfForm(root)
  return { device: deviceOf(device), credential }
}

/** Ends a device of the account at once: its connections, its tokens and its credential. */
export const revokeDevice = async (client: Client, deviceId: string): Promise<Device> =>
  deviceOf(await ask(client, `/devices/${encodeURIComponent(deviceId)}`, { method: "DELETE" }))

/**
 * Deletes the player: identity, devices, stored values and fields. Scores and ratings stay under a random id. Every
 * device is out of its rooms, and the tokens of the player end.
 */
export const deleteAccount = async (client: Client): Promise<DeletedAccount> => {
  const { accountId, scoresKeptAs } = fieldsOf(await ask(client, "", { method: "DELETE" }))
  if (typeof accountId !== "string" || typeof scoresKeptAs !== "string") throw notOfForm(root)
  return { accountId, scoresKeptAs }
}

/** Reads all that is kept of the player, page after page. */
export const exportAccount = async (client: Client): Promise<AccountExport> => {
  const all: Record<string, Array<Readonly<Record<string, unknown>>>> = {}
  let after: string | undefined
  do {
    const { rows, next } = fieldsOf(await ask(client, "/export", { query: { after } }))
    for (const [part, page] of Object.entries(fieldsOf(rows))) {
      if (!Array.isArray(page)) throw notOfForm(root)
      all[part] = [...(all[part] ?? []), ...page.map(fieldsOf)]
    }
    after = typeof next === "string" ? next : undefined
  } while (after !== undefined)
  return all
}

const post = async (client: Client, path: string, body: object): Promise<unknown> => {
  const endpoints = openEndpointsOf(client)
  const project = endpoints.projectOf(null)
  return askOpen(endpoints, `${root}${path}`, {
    method: "POST",
    body: { project, ...body },
    bearer: await endpoints.tokenOf(project)
  })
}

interface Asked {
  readonly method?: "GET" | "DELETE"
  readonly query?: Readonly<Record<string, string | undefined>>
}

const ask = async (
  client: Client,
  path: string,
  { method = "GET", query = {} }: Asked = {}
): Promise<unknown> => {
  const endpoints = openEndpointsOf(client)
  const project = endpoints.projectOf(null)
  return askOpen(endpoints, `${root}${path}`, {
    method,
    query: { project, ...query },
    bearer: await endpoints.tokenOf(project)
  })
}

const accountOf = (body: unknown): Account => {
  const { accountId, devices } = fieldsOf(body)
  if (typeof accountId !== "string" || !Array.isArray(devices)) throw notOfForm(root)
  return { accountId, devices: devices.map(deviceOf) }
}

const deviceOf = (body: unknown): Device => {
  const { deviceId, label, linkedAt, current } = fieldsOf(body)
  if (typeof deviceId !== "string" || typeof linkedAt !== "string") throw notOfForm(root)
  return {
    deviceId,
    label: typeof label === "string" ? label : null,
    linkedAt: new Date(linkedAt),
    current: current === true
  }
}
