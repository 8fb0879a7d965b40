"""Jobs of CI that failed on the reviewed head: the page of a review names each, its first error, and the changed line that it comes from."""
