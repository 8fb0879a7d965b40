(import (qualified_identifier) @spec) @import @star
