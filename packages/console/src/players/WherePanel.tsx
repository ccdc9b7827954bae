import { addressOf } from "../app/Routes.ts"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { ReadPanel } from "../parts/ReadPanel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useRead } from "../service/Reads.ts"

export interface PlayerProps {
  readonly project: string
  readonly player: string
}

interface Presence {
  readonly players: ReadonlyArray<{ readonly roomId: string | null; readonly since: string | null }>
}

/** The room that a player is in. */
export const WherePanel = ({ project, player }: PlayerProps) => {
  const query = new URLSearchParams({ project, players: player })
  const path = `/v1/presence?${query.toString()}`
  const read = useRead<Presence>(path, 5000)
  return (
    <ReadPanel title="Where" read={read} asked={{ method: "GET", path, credential: "login" }}>
      {({ players: [found] }) => (
        <p class="sub-line">
          {found === undefined || found.roomId === null ? (
            "In no room now."
          ) : (
            <>
              In{" "}
              <Link to={addressOf({ _tag: "Room", project, room: found.roomId })} class="mono">
                <Tenant text={found.roomId} max={128} inControl />
              </Link>{" "}
              since <Moment at={found.since} as="time" />.
            </>
          )}
        </p>
      )}
    </ReadPanel>
  )
}
