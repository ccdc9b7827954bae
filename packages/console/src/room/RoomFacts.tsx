import type { RoomDetail } from "@atrium/domain/rooms/RoomsApi"
import type { ComponentChildren } from "preact"

import { Waiting } from "../parts/Empty.tsx"
import { Fault } from "../parts/Fault.tsx"
import { Link } from "../parts/Link.tsx"
import { Moment } from "../parts/Moment.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import type { Read } from "../service/Reads.ts"
import type { Command } from "../shell/Equivalents.ts"
import { bytesText, countText } from "../text/Numbers.ts"

interface Props {
  readonly path: string
  readonly command: Command
  readonly read: Read<RoomDetail>
  /** Address of the page of its saves. */
  readonly saves: string
}

/** What a room is. */
export const RoomFacts = ({ path, command, read, saves }: Props) => {
  const { last, refused } = read.state.value
  return (
    <Panel
      title="Room"
      asOf={last?.atMs ?? null}
      asked={{ method: "GET", path, credential: "key" }}
      command={command}
    >
      {refused !== null && <Fault refusal={refused} again={read.again} />}
      {last === null ? refused === null && <Waiting /> : <Facts {...last.value} address={saves} />}
    </Panel>
  )
}

const Facts = ({
  type,
  retention,
  retentionOverride,
  address,
  ...room
}: RoomDetail & { address: string }) => (
  <dl class="facts">
    <Fact name="Type">
      <Tenant text={type} max={60} />
    </Fact>
    <Fact name="Class">{room.class}</Fact>
    <Fact name="Last seen">
      <Moment at={room.lastSeen} />
    </Fact>
    <Fact name="Stored state">{bytesText(room.stateBytes)}</Fact>
    <Fact name="Saves">
      <Link to={address}>{countText(room.saves)}</Link>
    </Fact>
    <Fact name="Kept">
      {retention ?? "forever"}
      {retentionOverride !== null && <span class="under">the room's own</span>}
    </Fact>
    <Fact name="Deleted">
      <Moment at={room.deletesAt} />
    </Fact>
  </dl>
)

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div class="fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
