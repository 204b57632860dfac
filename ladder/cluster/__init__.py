"""Workers on other machines: Dask's scheduler and workers carry tasks and outcomes, as JSON."""
