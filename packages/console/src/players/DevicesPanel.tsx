import type { PlayerRecord } from "@atrium/domain/accounts/PlayersApi"

import { Empty } from "../parts/Empty.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Table, type TableColumn } from "../parts/Table.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import type { Read } from "../service/Reads.ts"
import { countText } from "../text/Numbers.ts"
import { addressOfPlayer, playerPath } from "./PlayerPath.ts"
import type { PlayerProps } from "./WherePanel.tsx"

type Device = PlayerRecord["devices"][number]
type Rating = PlayerRecord["ratings"][number]

interface Props extends PlayerProps {
  readonly read: Read<PlayerRecord>
}

/** The devices that are this player. */
export const DevicesPanel = ({ project, player, read }: Props) => (
  <ReadPanel title="Devices" read={read} {...asked({ project, player })}>
    {({ playerId, accountId, devices }) => (
      <>
        {accountId !== playerId && (
          <p class="sub-line">
            This identity is a device of{" "}
            <Link to={addressOfPlayer(project, accountId)} class="mono">
              <Tenant text={accountId} max={80} inControl />
            </Link>{" "}
            now. What is kept under this id is from before.
          </p>
        )}
        {devices.length === 0 ? (
          <Empty title="No device is linked.">
            <p>
              A game links devices with <code>POST /v1/account/link</code>.
            </p>
          </Empty>
        ) : (
          <Table
            label="Devices"
            columns={deviceColumns}
            rows={devices}
            keyOf={({ deviceId }) => deviceId}
          />
        )}
      </>
    )}
  </ReadPanel>
)

/** The ratings of a player, by queue. */
export const RatingsPanel = ({ project, player, read }: Props) => (
  <ReadPanel title="Ratings" read={read} {...asked({ project, player })}>
    {({ ratings }) =>
      ratings.length === 0 ? (
        <Empty title="No rating.">
          <p>
            Room code reports results with <code>room.ratings.report</code>.
          </p>
        </Empty>
      ) : (
        <Table
          label="Ratings"
          columns={ratingColumns}
          rows={ratings}
          keyOf={({ queue }) => queue}
        />
      )
    }
  </ReadPanel>
)

const asked = ({ project, player }: PlayerProps) => ({
  asked: { method: "GET", path: playerPath(project, player), credential: "login" } as const,
  command: { words: ["players", "get"], flags: { project }, values: [player] }
})

const deviceColumns: ReadonlyArray<TableColumn<Device>> = [
  {
    title: "Device",
    cell: ({ deviceId, label }) => (
      <>
        {label === null ? <span class="faint">no label</span> : <Tenant text={label} max={64} />}
        <span class="under mono">{deviceId}</span>
      </>
    )
  },
  {
    title: "Was",
    when: "roomy",
    cell: ({ identityId }) => (
      <span class="mono">
        <Tenant text={identityId} max={40} />
      </span>
    )
  },
  { title: "Linked", cell: ({ linkedAt }) => <Moment at={linkedAt} /> }
]

const ratingColumns: ReadonlyArray<TableColumn<Rating>> = [
  { title: "Queue", cell: ({ queue }) => <Tenant text={queue} max={64} /> },
  { title: "Rating", number: true, cell: ({ rating }) => countText(Math.round(rating)) },
  { title: "Deviation", number: true, cell: ({ deviation }) => countText(Math.round(deviation)) },
  { title: "Reported", when: "roomy", cell: ({ ratedAt }) => <Moment at={ratedAt} /> }
]
