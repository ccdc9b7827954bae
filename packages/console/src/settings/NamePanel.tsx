import { useSignal } from "@preact/signals"

import { readAccount } from "../app/Account.ts"
import { Fault } from "../parts/Fault.tsx"
import { Panel } from "../parts/Panel.tsx"
import { useActs } from "../service/Acts.ts"

interface Props {
  readonly path: string
  readonly name: string
  readonly onDone: () => void
}

/** The name of a project. */
export const NamePanel = ({ path, name, onDone }: Props) => {
  const text = useSignal(name)
  const { works, refused, act } = useActs()
  const body = { name: text.value }
  const rename = async (): Promise<void> => {
    if ((await act({ method: "PUT", path: `${path}/name`, body })) === null) return
    await readAccount()
    onDone()
  }
  return (
    <Panel title="Name" asked={{ method: "PUT", path: `${path}/name`, body, credential: "login" }}>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault()
          void rename()
        }}
      >
        <input
          type="text"
          aria-label="Name of the project"
          required
          value={text.value}
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
        <button disabled={works.value || text.value === name}>Rename</button>
      </form>
      {refused.value !== null && <Fault refusal={refused.value} />}
    </Panel>
  )
}
