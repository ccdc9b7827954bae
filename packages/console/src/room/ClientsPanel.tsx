import type { RoomClient } from "@atrium/domain/inspect/InspectApi"
import { useSignal } from "@preact/signals"

import { Confirm } from "../parts/Confirm.tsx"
import { Empty, Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Scrolls } from "../parts/Scrolls.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import type { Read } from "../service/Reads.ts"
import { ask, type Refusal } from "../service/Service.ts"
import type { Command } from "../shell/Equivalents.ts"
import { bytesText, countText } from "../text/Numbers.ts"

interface Props {
  readonly path: string
  readonly command: Command
  readonly read: Read<ReadonlyArray<RoomClient>>
}

/** Who is in a room, and the way to put somebody out. */
export const ClientsPanel = ({ path, command, read }: Props) => {
  const { last, refused } = read.state.value
  const kicked = useSignal<RoomClient | null>(null)
  const count = last?.value.length ?? 0
  return (
    <Panel
      title={
        last === null ? "Clients" : `${countText(count)} ${count === 1 ? "client" : "clients"}`
      }
      asOf={last?.atMs ?? null}
      asked={{ method: "GET", path: `${path}/clients`, credential: "login" }}
      command={command}
    >
      {refused !== null && <Fault refusal={refused} again={read.again} />}
      {last === null ? (
        refused === null && <Waiting />
      ) : count === 0 ? (
        <Empty title="Nobody is here.">
          <p>Open your game: a player who joins this room shows up here within two seconds.</p>
        </Empty>
      ) : (
        <ClientTable rows={last.value} onKick={(client) => (kicked.value = client)} />
      )}
      {kicked.value !== null && (
        <Kick
          path={path}
          client={kicked.value}
          onDone={() => {
            kicked.value = null
            read.again()
          }}
        />
      )}
    </Panel>
  )
}

/** More rows than anybody reads one by one. */
const rowsMax = 200

interface TableProps {
  readonly rows: ReadonlyArray<RoomClient>
  readonly onKick: (client: RoomClient) => void
}

const ClientTable = ({ rows, onKick }: TableProps) => (
  <Scrolls label="Clients">
    <table>
      <thead>
        <tr>
          <th scope="col">Player</th>
          <th scope="col" class="roomy">
            Since
          </th>
          <th scope="col" class="number" title="Frames from the client">
            In
          </th>
          <th scope="col" class="number" title="Frames to the client">
            Out
          </th>
          <th scope="col" class="number roomy" title="The last round trip, measured every 20 s">
            Lag
          </th>
          <th scope="col">
            <span class="visually-hidden">Kick</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, rowsMax).map((client) => (
          <ClientRow key={client.clientId} client={client} onKick={onKick} />
        ))}
      </tbody>
    </table>
    {rows.length > rowsMax && (
      <p class="sub-line">{countText(rows.length - rowsMax)} more are not shown.</p>
    )}
  </Scrolls>
)

interface RowProps {
  readonly client: RoomClient
  readonly onKick: (client: RoomClient) => void
}

const ClientRow = ({ client, onKick }: RowProps) => (
  <tr>
    <td>
      <span title={client.clientId}>
        <Tenant text={client.name ?? client.playerId} max={60} />
      </span>
      {client.name !== null && client.name !== client.playerId && (
        <span class="under">
          <Tenant text={client.playerId} max={40} />
        </span>
      )}{" "}
      {client.role !== "player" && <span class="chip">{client.role}</span>}{" "}
      {client.status === "joining" && <span class="chip">joining</span>}
    </td>
    <td class="roomy">
      <Moment at={client.since} />
    </td>
    <td class="number">{bytesText(client.ingressBytes)}</td>
    <td class="number">
      {bytesText(client.egressBytes)}
      {client.backlogBytes !== null && client.backlogBytes > 0 && (
        <span class="under" title="Not sent yet: the client reads too slowly">
          {bytesText(client.backlogBytes)} wait
        </span>
      )}
    </td>
    <td class="number roomy">
      {client.lagMs === null ? <span class="faint">not yet</span> : `${client.lagMs} ms`}
    </td>
    <td class="number">
      <button type="button" class="quiet small danger" onClick={() => onKick(client)}>
        Kick
      </button>
    </td>
  </tr>
)

interface KickProps {
  readonly path: string
  readonly client: RoomClient
  readonly onDone: () => void
}

const Kick = ({ path, client, onDone }: KickProps) => {
  const kick = async (): Promise<Refusal | null> => {
    const target = `${path}/clients/${encodeURIComponent(client.clientId)}/kick`
    const answer = await ask({ method: "POST", path: target })
    // The client has left by itself meanwhile: that is what was wanted.
    const isGone = answer._tag === "Refused" && answer.code === "E_CLIENT_NOT_FOUND"
    return answer._tag === "Refused" && !isGone ? answer : null
  }
  return (
    <Confirm title="Kick this client?" act="Kick" onAct={kick} onClose={onDone}>
      <p>
        <b>
          <Tenant text={client.name ?? client.playerId} max={60} />
        </b>{" "}
        leaves the room for good: its connection closes with 4410 <code>E_KICKED</code>, and its
        client does not come back by itself. Its player may join again.
      </p>
    </Confirm>
  )
}
