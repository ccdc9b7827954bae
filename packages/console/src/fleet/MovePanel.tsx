import type { Runner } from "@atrium/domain/fleet/FleetApi"
import { useSignal } from "@preact/signals"

import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { Tenant } from "../parts/Tenant.tsx"
import { useActs } from "../service/Acts.ts"

/** Moves a room from one runner to another. */
export const MovePanel = ({ runners }: { runners: ReadonlyArray<Runner> }) => {
  const project = useSignal("")
  const room = useSignal("")
  const to = useSignal("")
  const moved = useSignal<string | null>(null)
  const { works, refused, act } = useActs()
  const path = `/v1/fleet/rooms/${encodeURIComponent(project.value)}/${encodeURIComponent(room.value)}/move`
  const body = { runner: to.value === "" ? null : to.value }
  const move = async (): Promise<void> => {
    moved.value = null
    const answer = await act<{ readonly runner: string }>({ method: "POST", path, body })
    if (answer !== null) moved.value = answer.runner
  }
  return (
    <Panel
      title="Move a room"
      asked={{ method: "POST", path, body, credential: "login" }}
      command={{
        words: ["cluster", "move"],
        flags: { to: to.value === "" ? undefined : to.value, project: project.value },
        values: [room.value]
      }}
    >
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void move()
        }}
      >
        <input
          type="text"
          aria-label="Id of the project"
          placeholder="p_0123456789abcdef"
          required
          value={project.value}
          onInput={({ currentTarget }) => (project.value = currentTarget.value)}
        />
        <input
          type="text"
          aria-label="Id of the room"
          placeholder="Room"
          required
          value={room.value}
          onInput={({ currentTarget }) => (room.value = currentTarget.value)}
        />
        <select
          aria-label="To which runner"
          value={to.value}
          onChange={({ currentTarget }) => (to.value = currentTarget.value)}
        >
          <option value="">To the least loaded</option>
          {runners.map(({ runner }) => (
            <option key={runner} value={runner}>
              {runner}
            </option>
          ))}
        </select>
        <button disabled={works.value}>Move</button>
      </form>
      {refused.value !== null && <Fault refusal={refused.value} />}
      {moved.value !== null && (
        <p class="sub-line" role="status">
          It is on <Tenant text={moved.value} /> now; its clients have stayed connected.
        </p>
      )}
    </Panel>
  )
}
