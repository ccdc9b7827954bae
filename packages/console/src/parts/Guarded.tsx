import type { ComponentChildren } from "preact"
import { useErrorBoundary } from "preact/hooks"

import { errorText } from "../text/ErrorText.ts"
import { Empty } from "./Empty.tsx"

interface Props {
  readonly children: ComponentChildren
  readonly onFault?: (fault: unknown) => void
}

/** A page. When it throws it shows its error, and a way to try again. */
export const Guarded = ({ children, onFault }: Props) => {
  const [error, reset] = useErrorBoundary((fault: unknown) => onFault?.(fault))
  if (error === undefined) return <>{children}</>
  return (
    <div class="panel">
      <Empty title="This page has failed.">
        <p>{errorText(error)}</p>
        <button type="button" class="quiet" onClick={reset}>
          Try again
        </button>
      </Empty>
    </div>
  )
}
