(import (qualified_identifier) @spec) @import @star
((import (qualified_identifier) @spec) @import @star @hands_on (#match? @spec "^again\\."))
