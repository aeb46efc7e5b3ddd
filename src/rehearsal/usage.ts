export const REHEARSE_USAGE =
  "oakvoice rehearse [--profile starter|cpu|cpu-large|gpu|gpu-large] [--callers 1,2,4] [--brief] [--json FILE] [--keep DIR]";
